// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/inference-queue-parameters.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-per-agent.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <limits>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Values for all agents, or for each.
 */
class PerAgentValuesTestCase : public TestCase
{
  public:
    PerAgentValuesTestCase()
        : TestCase("A parameter holds a value for each agent")
    {
    }

  private:
    void DoRun() override
    {
        PerAgent<uint32_t> workers(7);
        RlPerAgentVariable<uint32_t> parameter("workers",
                                               "Number of workers",
                                               workers,
                                               {std::pair(0U, 9U), {}});
        NS_TEST_EXPECT_MSG_EQ(parameter.GetSpec().defaultValue, "7", "Its default");
        NS_TEST_EXPECT_MSG_EQ(parameter.GetSpec().perAgent, true, "Agents may differ");
        NS_TEST_EXPECT_MSG_EQ(parameter.GetSpec().DescribeAllowed(),
                              "an integer from 0 to 9; or one for each agent, as "
                              "agent_0=...,agent_1=...",
                              "The allowed values");
        NS_TEST_EXPECT_MSG_EQ(parameter.Set("agent_0=1,agent_12=4"),
                              true,
                              "One value for each agent");
        NS_TEST_EXPECT_MSG_EQ(workers.Get("agent_0"), 1, "Named");
        NS_TEST_EXPECT_MSG_EQ(workers.Get("agent_12"), 4, "Named");
        NS_TEST_EXPECT_MSG_EQ(workers.Get("agent_1"), 7, "The default");
        NS_TEST_EXPECT_MSG_EQ(parameter.GetValue(), "agent_0=1,agent_12=4", "As given");
        for (const auto* wrong :
             {"10", "agent_0=10", "agent_0=", "=3", "agent_0=1,3", "agent_0=1,agent_0=2", "", "x"})
        {
            NS_TEST_EXPECT_MSG_EQ(parameter.Set(wrong), false, "Not a value: " << wrong);
            NS_TEST_EXPECT_MSG_EQ(workers.Get("agent_12"), 4, "The value is unchanged");
        }
        NS_TEST_EXPECT_MSG_EQ(parameter.Set("3"), true, "One value for all agents");
        NS_TEST_EXPECT_MSG_EQ(workers.Get("agent_0"), 3, "Also for named agents");
        NS_TEST_EXPECT_MSG_EQ(parameter.GetValue(), "3", "As given");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The parameters determine the queue of each agent.
 */
class MakeQueueTestCase : public TestCase
{
  public:
    MakeQueueTestCase()
        : TestCase("Queues have the attributes of the parameters")
    {
    }

  private:
    /**
     * @brief Read a command line.
     * @param inference parameters to set
     * @param arguments the command line
     */
    static void Parse(InferenceQueueParameters& inference, std::vector<std::string> arguments)
    {
        RlSimulation simulation("queues");
        inference.Declare(simulation);
        arguments.insert(arguments.begin(), "queues");
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        simulation.Parse(static_cast<int>(argv.size()), argv.data());
    }

    /**
     * @brief Read an attribute of a queue.
     * @tparam T type of its value
     * @param queue the queue
     * @param name the attribute
     * @return its value
     */
    template <typename T>
    static auto Get(Ptr<InferenceQueue> queue, const std::string& name)
    {
        T value;
        queue->GetAttribute(name, value);
        return value.Get();
    }

    void DoRun() override
    {
        InferenceQueueParameters inference;
        NS_TEST_EXPECT_MSG_EQ((inference.MakeQueue("agent_0") == nullptr), true, "None by default");
        Parse(inference,
              {"--workers=agent_0=2,agent_1=1",
               "--service_time=5ms",
               "--service_time_distribution=agent_1=exponential",
               "--slowdown=agent_0=0.5",
               "--buffer_size=agent_1=3",
               "--full_buffer=agent_1=keep_latest_per_source"});
        NS_TEST_EXPECT_MSG_EQ(inference.FindContradiction({"agent_0", "agent_1", "agent_2"}),
                              "",
                              "The combination is valid");
        const auto first = inference.MakeQueue("agent_0");
        NS_TEST_EXPECT_MSG_EQ(Get<UintegerValue>(first, "Workers"), 2, "Workers");
        NS_TEST_EXPECT_MSG_EQ(Get<DoubleValue>(first, "Slowdown"), 0.5, "Slowdown");
        NS_TEST_EXPECT_MSG_EQ(Get<UintegerValue>(first, "BufferSize"),
                              std::numeric_limits<uint32_t>::max(),
                              "No limit");
        PointerValue pointer;
        first->GetAttribute("ServiceTime", pointer);
        const auto constant = pointer.Get<ConstantRandomVariable>();
        NS_TEST_ASSERT_MSG_EQ((constant != nullptr), true, "Constant by default");
        NS_TEST_EXPECT_MSG_EQ(constant->GetConstant(), 0.005, "Service time");
        const auto second = inference.MakeQueue("agent_1");
        second->GetAttribute("ServiceTime", pointer);
        const auto exponential = pointer.Get<ExponentialRandomVariable>();
        NS_TEST_ASSERT_MSG_EQ((exponential != nullptr), true, "Exponential on request");
        NS_TEST_EXPECT_MSG_EQ(exponential->GetMean(), 0.005, "Mean service time");
        NS_TEST_EXPECT_MSG_EQ(Get<UintegerValue>(second, "BufferSize"), 3, "Buffer");
        EnumValue<FullBufferPolicy> policy;
        second->GetAttribute("FullBufferPolicy", policy);
        NS_TEST_EXPECT_MSG_EQ((policy.Get() == FullBufferPolicy::KEEP_LATEST_PER_SOURCE),
                              true,
                              "Policy");
        const auto third = inference.MakeQueue("agent_2");
        NS_TEST_EXPECT_MSG_EQ(Get<UintegerValue>(third, "Workers"),
                              std::numeric_limits<uint32_t>::max(),
                              "Service without a limit of workers");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of PerAgent and InferenceQueueParameters.
 */
class RlPerAgentTestSuite : public TestSuite
{
  public:
    RlPerAgentTestSuite()
        : TestSuite("defiance-rl-per-agent", Type::UNIT)
    {
        AddTestCase(new PerAgentValuesTestCase);
        AddTestCase(new MakeQueueTestCase);
    }
};

static RlPerAgentTestSuite g_rlPerAgentTestSuite; //!< Registers the suite
