// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"
#include "opengym-codec.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

using namespace ns3;

/** Orders and reports in the conversation with Python. */
class TransferReportTestCase : public InterfaceTestCase
{
  public:
    TransferReportTestCase()
        : InterfaceTestCase(
              "Transfers begin with the reply; finished ones are reported in the next message")
    {
    }

  private:
    /**
     * Answer a request and order a transfer.
     *
     * @param sequence Number of the request, and of the transfer.
     */
    void Order(uint64_t sequence)
    {
        defiance::v1::PythonMessage message;
        auto& reply = *message.mutable_step_reply();
        reply.set_sequence(sequence);
        reply.set_command(defiance::v1::COMMAND_STEP);
        const auto action = MakeDiscreteContainer(1);
        EncodeStack({PeekPointer(action)}, *reply.add_actions());
        auto& order = *reply.add_transfers();
        order.set_number(sequence);
        order.set_kind("update");
        order.set_bytes(100);
        m_python.Send(message);
    }

    /**
     * Compare a report.
     *
     * @param report The report.
     * @param number Expected number.
     * @param outcome Expected outcome.
     * @param microseconds Expected time.
     */
    void Check(const defiance::v1::TransferReport& report,
               uint64_t number,
               defiance::v1::TransferOutcome outcome,
               int64_t microseconds)
    {
        NS_TEST_EXPECT_MSG_EQ(report.number(), number, "Number");
        NS_TEST_EXPECT_MSG_EQ(report.outcome(), outcome, "Outcome of " << number);
        NS_TEST_EXPECT_MSG_EQ(report.time_ns(), 1000 * microseconds, "Time of " << number);
    }

    void DoRun() override
    {
        auto process = Start([] {
            Walker walker("walker");
            for (const auto time : {1, 2, 3, 4})
            {
                walker.AskAt(MilliSeconds(time));
            }
            Simulator::Schedule(MicroSeconds(1500), [] {
                OpenGymMultiAgentInterface::Get()->SetTransferHandler(
                    Callback<void, const TransferOrder&>([](const TransferOrder& order) {
                        Simulator::Schedule(MicroSeconds(order.bytes), [number = order.number] {
                            OpenGymMultiAgentInterface::Get()->NotifyTransfer(
                                number,
                                TransferOutcome::DELIVERED);
                        });
                    }));
            });
            RunPlainly();
        });
        m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(1, 1).transfers_size(), 0, "Nothing was ordered");
        Order(1);
        const auto second = ExpectRequest(2, 2);
        NS_TEST_ASSERT_MSG_EQ(second.transfers_size(), 1, "Transfers cannot be ordered yet");
        Check(second.transfers(0), 1, defiance::v1::TRANSFER_OUTCOME_REFUSED, 1000);
        Order(2);
        const auto third = ExpectRequest(3, 3);
        NS_TEST_ASSERT_MSG_EQ(third.transfers_size(), 1, "A transfer is reported once");
        Check(third.transfers(0), 2, defiance::v1::TRANSFER_OUTCOME_DELIVERED, 2100);
        m_python.Step(3, {MakeDiscreteContainer(1)});
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(4, 4).transfers_size(), 0, "and not again");
        Order(4);
        const auto end = m_python.Receive().episode_end();
        NS_TEST_ASSERT_MSG_EQ(end.transfers_size(), 1, "The end of the episode reports it, too");
        Check(end.transfers(0), 4, defiance::v1::TRANSFER_OUTCOME_DELIVERED, 4100);
        ExpectSuccess(*process);
    }
};

/** Test suite of orders and reports. */
class TransferReportTestSuite : public TestSuite
{
  public:
    TransferReportTestSuite()
        : TestSuite("defiance-transfer-report")
    {
        AddTestCase(new TransferReportTestCase);
    }
};

static TransferReportTestSuite g_transferReportTestSuite; //!< Registers the suite
