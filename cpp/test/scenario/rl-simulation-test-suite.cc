// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "opengym-codec.h"
#include "test-scenario.h"

#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <iostream>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

} // namespace

/** Refusals sent to Python. */
class RefusalMessageTestCase : public TestCase
{
  public:
    RefusalMessageTestCase()
        : TestCase("A refusal is sent to Python instead of Hello")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string argument : {"--carts=99", "--label=contradiction"})
        {
            FakePython python;
            ForkedSimulation process(
                WithArguments(RunTestScenario, {argument}),
                {{"DEFIANCE_ENDPOINT", python.GetEndpoint()}, {"DEFIANCE_TOKEN", "t"}});
            const auto message = python.Receive();
            NS_TEST_EXPECT_MSG_EQ(message.failure().code(),
                                  wire::Failure::CODE_INVALID_PARAMETER,
                                  message.ShortDebugString());
            NS_TEST_EXPECT_MSG_EQ(python.GetPeer(), "t", "with its token");
            const auto end = process.Wait();
            NS_TEST_EXPECT_MSG_EQ(end.errors,
                                  "defiance: " + message.failure().message() + "\n",
                                  "The same on standard error");
            NS_TEST_EXPECT_MSG_EQ(end.status, 2, "Exit status");
        }
    }
};

/** --describe. */
class DescribeTestCase : public TestCase
{
  public:
    DescribeTestCase()
        : TestCase("--describe writes the declared parameters and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        const auto end = RunProgram(RunTestScenario, {"--describe", "--carts=4"});
        NS_TEST_EXPECT_MSG_EQ(end.status, 0, end.errors);
        NS_TEST_EXPECT_MSG_EQ(end.errors, "", "Nothing on standard error");
        wire::ScenarioDescription description;
        NS_TEST_ASSERT_MSG_EQ(description.ParseFromString(end.output), true, "It is a description");
        NS_TEST_EXPECT_MSG_EQ(description.protocol(), 2, "Version of the protocol");
        NS_TEST_EXPECT_MSG_EQ(description.scenario(), "test-scenario", "Name of the scenario");
        NS_TEST_EXPECT_MSG_EQ(description.ns3_version().substr(0, 2), "3.", "Version of ns-3");
        NS_TEST_ASSERT_MSG_EQ(description.parameters_size(), 8, "Each parameter");
        const auto& carts = description.parameters(1);
        NS_TEST_EXPECT_MSG_EQ(carts.name(), "carts", "Name");
        NS_TEST_EXPECT_MSG_EQ(carts.help(), "Number of carts", "Help");
        NS_TEST_EXPECT_MSG_EQ(carts.type(), wire::PARAMETER_TYPE_INTEGER, "Type");
        NS_TEST_EXPECT_MSG_EQ(carts.value(), "1", "The default, whatever other values are given");
        NS_TEST_EXPECT_MSG_EQ(carts.minimum(), "1", "Minimum");
        NS_TEST_EXPECT_MSG_EQ(carts.maximum(), "16", "Maximum");
        NS_TEST_EXPECT_MSG_EQ(description.parameters(2).has_maximum(), false, "No maximum");
        NS_TEST_EXPECT_MSG_EQ(description.parameters(5).value(), "10ms", "A time");
        NS_TEST_EXPECT_MSG_EQ(description.parameters(6).type(),
                              wire::PARAMETER_TYPE_DATA_RATE,
                              "A data rate");
        NS_TEST_EXPECT_MSG_EQ(description.parameters(7).choices(1), "udp", "A choice");
    }
};

/** An episode with Python. */
class EpisodeTestCase : public TestCase
{
  public:
    EpisodeTestCase()
        : TestCase(
              "An episode runs up to and including its duration, where its agents are truncated")
    {
    }

  private:
    void DoRun() override
    {
        FakePython python;
        // The command line has priority over the environment.
        ForkedSimulation process(
            WithArguments(RunTestScenario,
                          {"--endpoint=" + python.GetEndpoint(),
                           "--token=mine",
                           "--carts=2",
                           "--RngSeed=5",
                           "--RngRun=6000000000"}),
            {{"DEFIANCE_ENDPOINT", "ipc:///nowhere"}, {"DEFIANCE_TOKEN", "other"}});
        const auto hello = python.Receive().hello();
        NS_TEST_EXPECT_MSG_EQ(hello.scenario(), "test-scenario", "Name of the scenario");
        NS_TEST_EXPECT_MSG_EQ(hello.token(), "mine", "Token");
        NS_TEST_EXPECT_MSG_EQ(hello.rng_seed(), 5, "Seed");
        NS_TEST_EXPECT_MSG_EQ(hello.rng_run(), 6000000000, "Run");
        NS_TEST_ASSERT_MSG_EQ(hello.parameters_size(), 8, "Parameters");
        NS_TEST_EXPECT_MSG_EQ(hello.parameters(1).value(), "2", "in effect");
        NS_TEST_EXPECT_MSG_EQ(hello.agents_size(), 1, "Agents are introduced before time starts");
        for (int i = 0; i < 3; ++i)
        {
            const auto request = python.Receive().step_request();
            NS_TEST_EXPECT_MSG_EQ(request.sim_time_ns(), i * 1000000, "Every millisecond");
            python.Step(i + 1, {MakeDiscreteContainer(i + 5)});
        }
        const auto end = python.Receive().episode_end();
        NS_TEST_EXPECT_MSG_EQ(end.sim_time_ns(), 3000000, "At its duration");
        NS_TEST_ASSERT_MSG_EQ(end.ended_size(), 1, "The agent ends");
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).truncated(), true, "It is truncated");
        const auto last = DecodeStack(end.ended(0).observation(), 1);
        NS_TEST_ASSERT_MSG_EQ(last.size(), 1, "It has an observation");
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<OpenGymDiscreteContainer>(last[0])->GetValue(),
                              7,
                              "It observes its last action");
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).reward(), 1, "It gets its last reward");
        const auto exit = process.Wait();
        NS_TEST_EXPECT_MSG_EQ(exit.status, 0, exit.errors);
        NS_TEST_EXPECT_MSG_EQ(exit.output.find("decisions"), std::string::npos, "No summary");
    }
};

/** The policies inside the simulation. */
class BuiltInPolicyTestCase : public TestCase
{
  public:
    BuiltInPolicyTestCase()
        : TestCase("Without an endpoint a policy inside the simulation decides")
    {
    }

  private:
    void DoRun() override
    {
        const auto constant = RunProgram(RunTestScenario, {"--policy=constant", "--action=7"});
        const std::string summary = "ticker: 3 decisions, return 4, truncated";
        NS_TEST_EXPECT_MSG_EQ(HasLine(constant.output, "7 7 7 " + summary), true, constant.output);
        const auto environment =
            RunProgram(RunTestScenario,
                       {},
                       {{"DEFIANCE_POLICY", "constant"}, {"DEFIANCE_ACTION", "99"}});
        NS_TEST_EXPECT_MSG_EQ(HasLine(environment.output, "9 9 9 " + summary),
                              true,
                              "The nearest value in the space: " << environment.output);
        const auto random = RunProgram(RunTestScenario, {});
        NS_TEST_EXPECT_MSG_EQ(random.output,
                              RunProgram(RunTestScenario, {}).output,
                              "The same run again");
        NS_TEST_EXPECT_MSG_NE(random.output,
                              RunProgram(RunTestScenario, {"--RngRun=2"}).output,
                              "Another run differs");
    }
};

/** Random streams of the scenario. */
class StreamsTestCase : public TestCase
{
  public:
    StreamsTestCase()
        : TestCase("The random policy does not use the scenario's random streams")
    {
    }

  private:
    void DoRun() override
    {
        const auto draw = [] {
            std::cerr << CreateObject<UniformRandomVariable>()->GetValue() << std::endl;
        };
        const auto main = [draw](int argc, char** argv) {
            RlSimulation simulation("streams");
            simulation.Parse(argc, argv);
            Ticker ticker;
            Simulator::Schedule(MilliSeconds(1), draw);
            return simulation.Run(MilliSeconds(2));
        };
        const auto alone = [draw](int argc, char** argv) {
            draw();
            return 0;
        };
        NS_TEST_EXPECT_MSG_EQ(
            RunProgram(main, {"--policy=random"}).errors,
            RunProgram(alone, {}).errors,
            "A variable made after the policy draws the same numbers as without it");
    }
};

/** Run control. */
class RlSimulationTestSuite : public TestSuite
{
  public:
    RlSimulationTestSuite()
        : TestSuite("defiance-rl-simulation")
    {
        AddTestCase(new RefusalMessageTestCase);
        AddTestCase(new DescribeTestCase);
        AddTestCase(new EpisodeTestCase);
        AddTestCase(new BuiltInPolicyTestCase);
        AddTestCase(new StreamsTestCase);
    }
};

static RlSimulationTestSuite g_rlSimulationTestSuite; //!< Registers the suite
