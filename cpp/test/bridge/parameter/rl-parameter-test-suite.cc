// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "test-scenario.h"

#include "ns3/data-rate.h"
#include "ns3/rl-simulation.h"
#include "ns3/test.h"

#include <csignal>
#include <limits>

using namespace ns3;

/** Values as text. */
class ParameterTextTestCase : public TestCase
{
  public:
    ParameterTextTestCase()
        : TestCase("Written values read back equally")
    {
    }

  private:
    /**
     * @param value A value.
     * @param text The text expected.
     */
    template <typename T>
    void Check(T value, const std::string& text)
    {
        NS_TEST_EXPECT_MSG_EQ(FormatText(value), text, "As text");
        T read{};
        NS_TEST_EXPECT_MSG_EQ(ParseText(text, read), true, "Can be read: " << text);
        NS_TEST_EXPECT_MSG_EQ((read == value), true, "The same again: " << text);
    }

    /**
     * @tparam T Type of the value.
     * @param text A text that is not a value of this type.
     */
    template <typename T>
    void Refuse(const std::string& text)
    {
        T value{};
        NS_TEST_EXPECT_MSG_EQ(ParseText(text, value), false, "Not a value: '" << text << "'");
        NS_TEST_EXPECT_MSG_EQ((value == T{}), true, "The value is unchanged");
    }

    void DoRun() override
    {
        Check(true, "true");
        Check(int8_t{-128}, "-128");
        Check(std::numeric_limits<uint64_t>::max(), "18446744073709551615");
        Check(0.1, "0.1");
        Check(0.1F, "0.1");
        Check(1e300, "1e+300");
        Check(std::string("a b"), "a b");
        Check(Seconds(90), "90s");
        Check(MilliSeconds(10), "10ms");
        Check(NanoSeconds(-1500), "-1500ns");
        Check(Time(0), "0s");
        Check(Time::Max(), std::to_string(Time::Max().GetNanoSeconds()) + "ns");
        Check(DataRate("100kbps"), "100kbps");
        Check(DataRate(1500000), "1500kbps");
        Check(DataRate(7), "7bps");
        Check(DataRate(0), "0bps");
        Time time;
        ParseText("2", time);
        NS_TEST_EXPECT_MSG_EQ(time, Seconds(2), "A time without unit is in seconds, as in ns-3");
        Refuse<bool>("yes");
        Refuse<uint8_t>("256");
        Refuse<uint8_t>("-1");
        Refuse<int>("1.5");
        Refuse<int>("");
        Refuse<double>("1,5");
        Refuse<Time>("10 parsecs");
        Refuse<Time>("ms");
        Refuse<Time>("1e5e5s");
        Refuse<Time>("1e300s");
        Refuse<DataRate>("fast");
        Refuse<DataRate>("5Mbps extra");
        Refuse<DataRate>("-5Mbps");
    }
};

/** Defaults and given values. */
class ParseTestCase : public TestCase
{
  public:
    ParseTestCase()
        : TestCase("Parameters have their defaults or values of the command line")
    {
    }

  private:
    void DoRun() override
    {
        auto end = RunProgram(RunTestScenario, {});
        NS_TEST_EXPECT_MSG_EQ(end.status, 0, end.errors);
        NS_TEST_EXPECT_MSG_EQ(HasLine(end.output, "0 1 -3 0.5 none 10000 5000000 udp"),
                              true,
                              "Defaults: " << end.output);
        end = RunProgram(RunTestScenario,
                         {"--verbose",
                          "--carts=16",
                          "--offset=-9000000000",
                          "--loss=1e-3",
                          "--label=a b",
                          "--delay=1500us",
                          "--rate=1Gbps",
                          "--transport=simple"});
        NS_TEST_EXPECT_MSG_EQ(end.status, 0, end.errors);
        NS_TEST_EXPECT_MSG_EQ(
            HasLine(end.output, "1 16 -9000000000 0.001 a b 1500 1000000000 simple"),
            true,
            "Given values: " << end.output);
    }
};

/** Values that are not allowed. */
class RefusedValuesTestCase : public TestCase
{
  public:
    RefusedValuesTestCase()
        : TestCase("A value that is not allowed is refused with the allowed ones")
    {
    }

  private:
    /**
     * @param argument An argument that is not allowed.
     * @param message Expected message.
     */
    void Expect(const std::string& argument, const std::string& message)
    {
        const auto end = RunProgram(RunTestScenario, {argument});
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits: " << argument);
        NS_TEST_EXPECT_MSG_EQ(end.status, 2, "with status 2: " << argument);
        NS_TEST_EXPECT_MSG_EQ(end.errors, "defiance: " + message + "\n", "with the reason");
        NS_TEST_EXPECT_MSG_EQ(end.output, "", "before anything starts");
    }

    void DoRun() override
    {
        Expect("--carts=17", "parameter 'carts' is '17', but must be an integer from 1 to 16");
        Expect("--carts=0", "parameter 'carts' is '0', but must be an integer from 1 to 16");
        Expect("--carts=300", "parameter 'carts' is '300', but must be an integer from 1 to 16");
        Expect("--carts=two", "parameter 'carts' is 'two', but must be an integer from 1 to 16");
        Expect("--loss=nan", "parameter 'loss' is 'nan', but must be a number from 0 to 1");
        Expect("--delay=2s",
               "parameter 'delay' is '2s', but must be a time such as 10ms from 0s to 1s");
        Expect("--delay=soon",
               "parameter 'delay' is 'soon', but must be a time such as 10ms from 0s to 1s");
        Expect("--rate=fast", "parameter 'rate' is 'fast', but must be a data rate such as 5Mbps");
        Expect("--verbose=perhaps", "parameter 'verbose' is 'perhaps', but must be true or false");
        Expect("--transport=tcp", "parameter 'transport' is 'tcp', but must be one of simple, udp");
        Expect("--label=contradiction", "label contradicts everything");
        Expect("--rounds=square", "rounds is 'square', but must be sequential or simultaneous");
        Expect("--policy=best",
               "policy is 'best', but must be random, constant, or an ONNX file (*.onnx)");
        Expect("--action=left", "action is 'left', but must be a number");
    }
};

/** An unknown argument. */
class UnknownArgumentTestCase : public TestCase
{
  public:
    UnknownArgumentTestCase()
        : TestCase("An unknown argument ends the program with ns-3's usage message")
    {
    }

  private:
    void DoRun() override
    {
        const auto end = RunProgram(RunTestScenario, {"--wheels=4"});
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits");
        NS_TEST_EXPECT_MSG_NE(end.status, 0, "without success");
        NS_TEST_EXPECT_MSG_NE((end.errors + end.output).find("--wheels=4"),
                              std::string::npos,
                              "It names the argument: " << end.errors);
    }
};

/** Misuse by the scenario. */
class DeclarationTestCase : public TestCase
{
  public:
    DeclarationTestCase()
        : TestCase("An invalid declaration aborts with the reason")
    {
    }

  private:
    /**
     * @param declare Makes a declaration.
     * @param message Part of the expected message.
     */
    void Expect(const std::function<void(RlSimulation&)>& declare, const std::string& message)
    {
        const auto run = [&declare] {
            RlSimulation simulation("senseless");
            declare(simulation);
            return 0;
        };
        const auto end = ForkedSimulation(run, {}).Wait();
        NS_TEST_EXPECT_MSG_EQ(end.status, SIGABRT, "It aborts: " << message);
        NS_TEST_EXPECT_MSG_NE(end.errors.find(message), std::string::npos, end.errors);
    }

    void DoRun() override
    {
        static int value = 5;
        static std::string word = "c";
        Expect([](auto& s) { s.AddValue("BadName", "", value); }, "lower_snake_case");
        Expect([](auto& s) { s.AddValue("token", "", value); }, "every scenario takes");
        Expect(
            [](auto& s) {
                s.AddValue("twice", "", value);
                s.AddValue("twice", "", value);
            },
            "declared twice");
        Expect([](auto& s) { s.AddValue("small", "", value, 6, 9); }, "has default '5'");
        Expect([](auto& s) { s.AddChoice("word", "", word, {"a", "b"}); }, "one of a, b");
        Expect([](auto& s) { s.Run(Seconds(1)); }, "needs Parse() before it");
    }
};

/** Parameters of scenarios. */
class RlParameterTestSuite : public TestSuite
{
  public:
    RlParameterTestSuite()
        : TestSuite("defiance-rl-parameter")
    {
        AddTestCase(new ParameterTextTestCase);
        AddTestCase(new ParseTestCase);
        AddTestCase(new RefusedValuesTestCase);
        AddTestCase(new UnknownArgumentTestCase);
        AddTestCase(new DeclarationTestCase);
    }
};

static RlParameterTestSuite g_rlParameterTestSuite; //!< Registers the suite
