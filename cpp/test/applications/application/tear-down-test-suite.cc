// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/communication-helper.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Scenarios may end at any time.
 */
class TearDownTestCase : public TestCase
{
  public:
    TearDownTestCase()
        : TestCase("End of scenarios")
    {
    }

  private:
    /**
     * @brief Run a scenario in a separate process.
     * @param protocol socket factory
     * @param run code that runs the scenario
     * @return its exit status, -1 if it crashed
     */
    static int GetExitStatus(TypeId protocol, const std::function<void()>& run)
    {
        const auto child = fork();
        if (child == 0)
        {
            ChainTopology topology;
            const auto observer =
                RlApplicationHelper(ManualObservation::GetTypeId()).Install(topology.nodes.Get(0));
            const auto agent =
                RlApplicationHelper(RecordingAgent::GetTypeId()).Install(topology.nodes.Get(1));
            CommunicationHelper helper;
            helper.SetObservationApps(observer);
            helper.SetAgentApps(agent);
            helper.SetIds();
            SocketCommunicationAttributes attributes;
            attributes.protocol = protocol;
            helper.AddCommunication({{observer.GetId(0), agent.GetId(0), attributes},
                                     {observer.GetId(0), agent.GetId(0), {}}});
            for (uint32_t i = 0; i < 100; ++i)
            {
                At(MilliSeconds(999), [=] {
                    DynamicCast<ManualObservation>(observer.Get(0))->Send(MakeNumberMessage(1));
                });
            }
            run();
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    void DoRun() override
    {
        for (const auto& protocol : {UdpSocketFactory::GetTypeId(), TcpSocketFactory::GetTypeId()})
        {
            NS_TEST_EXPECT_MSG_EQ(GetExitStatus(protocol, [] { Simulator::Destroy(); }),
                                  7,
                                  "without a run");
            const auto runHalf = [] {
                Simulator::Stop(Seconds(1));
                Simulator::Run();
                Simulator::Destroy();
            };
            NS_TEST_EXPECT_MSG_EQ(GetExitStatus(protocol, runHalf), 7, "with messages in flight");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of the end of scenarios with channels.
 */
class TearDownTestSuite : public TestSuite
{
  public:
    TearDownTestSuite()
        : TestSuite("defiance-tear-down", Type::UNIT)
    {
        AddTestCase(new TearDownTestCase);
    }
};

static TearDownTestSuite g_tearDownTestSuite; //!< Registers the suite
