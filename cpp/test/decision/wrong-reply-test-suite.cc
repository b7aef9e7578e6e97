// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

} // namespace

/** A wrong reply of Python. */
class WrongReplyTestCase : public InterfaceTestCase
{
  public:
    /**
     * @param name Description of the wrong reply.
     * @param code Code expected in the simulation's Failure.
     * @param message Part of the expected message.
     * @param reply Sends the wrong reply.
     */
    WrongReplyTestCase(const std::string& name,
                       wire::Failure::Code code,
                       const std::string& message,
                       const std::function<void(FakePython&)>& reply)
        : InterfaceTestCase("The simulation refuses " + name),
          m_code(code),
          m_message(message),
          m_reply(reply)
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Walker b("b");
            a.AskAt(MilliSeconds(1));
            b.AskAt(MilliSeconds(2));
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        m_reply(m_python);
        const auto message = m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(message.failure().code(), m_code, message.ShortDebugString());
        NS_TEST_EXPECT_MSG_NE(message.failure().message().find(m_message),
                              std::string::npos,
                              message.failure().message());
        const auto end = process->Wait();
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits by itself");
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "with status 1");
        NS_TEST_EXPECT_MSG_NE(end.errors.find(m_message), std::string::npos, end.errors);
    }

    wire::Failure::Code m_code;               //!< Code expected
    std::string m_message;                    //!< Message expected
    std::function<void(FakePython&)> m_reply; //!< Sends the wrong reply
};

/** A Failure from Python. */
class FailureTestCase : public InterfaceTestCase
{
  public:
    FailureTestCase()
        : InterfaceTestCase("A Failure from Python is printed and ends the simulation")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            a.AskAt(MilliSeconds(1));
            RunPlainly();
        });
        m_python.Receive();
        wire::PythonMessage message;
        message.mutable_failure()->set_code(wire::Failure::CODE_VERSION_MISMATCH);
        message.mutable_failure()->set_message("this Python speaks version 2");
        m_python.Send(message);
        const auto end = process->Wait();
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits by itself");
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "with status 1");
        NS_TEST_EXPECT_MSG_EQ(end.errors,
                              "defiance: Python reports CODE_VERSION_MISMATCH: this Python speaks "
                              "version 2\n",
                              "with the reason");
    }
};

/** The end of the connection. */
class DisconnectTestCase : public InterfaceTestCase
{
  public:
    DisconnectTestCase()
        : InterfaceTestCase(
              "Without a lifeline the end of the connection ends a simulation that waits")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            a.AskAt(MilliSeconds(1));
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Close();
        const auto end = process->Wait();
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits by itself");
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "with status 1");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("has closed the connection"),
                              std::string::npos,
                              end.errors);
        NS_TEST_EXPECT_MSG_LT(end.duration.count(), 3000, "soon");
    }
};

/** Wrong replies of Python. */
class WrongReplyTestSuite : public TestSuite
{
  public:
    WrongReplyTestSuite()
        : TestSuite("defiance-wrong-reply")
    {
        AddTestCase(new FailureTestCase);
        AddTestCase(new DisconnectTestCase);
        AddWrongReplies();
    }

  private:
    /**
     * @param name Description of the wrong reply.
     * @param code Code expected in the simulation's Failure.
     * @param message Part of the expected message.
     * @param reply Sends the wrong reply.
     */
    void Add(const std::string& name,
             wire::Failure::Code code,
             const std::string& message,
             const std::function<void(FakePython&)>& reply)
    {
        AddTestCase(new WrongReplyTestCase(name, code, message, reply));
    }

    /** Add all wrong replies. */
    void AddWrongReplies()
    {
        using wire::Failure;
        const auto act = [](int64_t action, uint64_t sequence = 1) {
            return
                [=](FakePython& python) { python.Step(sequence, {MakeDiscreteContainer(action)}); };
        };
        Add("the answer to another request",
            Failure::CODE_WRONG_SEQUENCE,
            "answered request 2, but request 1 was asked",
            act(1, 2));
        Add("an action out of its space",
            Failure::CODE_INVALID_ACTION,
            "action for agent 'a' is 3, which is not of its action space Discrete(3, start=0)",
            act(3));
        Add("an action of another kind", Failure::CODE_INVALID_ACTION, "is [1]", [](auto& python) {
            python.Step(1, {MakeBoxContainer<float>(1, 1)});
        });
        Add("a missing action",
            Failure::CODE_MALFORMED_MESSAGE,
            "holds 0 stacks of actions instead of 1",
            [](auto& python) { python.Step(1, {}); });
        Add("actions of more agents than in the request",
            Failure::CODE_MALFORMED_MESSAGE,
            "agent 'a' and those after it are not a well-formed stack of 1",
            [](auto& python) {
                python.Step(1, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
            });
        Add("a malformed action",
            Failure::CODE_MALFORMED_MESSAGE,
            "agent 'a' and those after it are not a well-formed stack of 1",
            [](auto& python) {
                wire::PythonMessage message;
                message.mutable_step_reply()->set_sequence(1);
                message.mutable_step_reply()->set_command(wire::COMMAND_STEP);
                message.mutable_step_reply()->add_actions();
                python.Send(message);
            });
        const auto play = [](const std::string& policy, uint64_t rounds) {
            return [=](FakePython& python) {
                wire::PythonMessage message;
                auto& reply = *message.mutable_step_reply();
                reply.set_sequence(1);
                reply.set_command(wire::COMMAND_PLAY);
                reply.mutable_fragment()->set_policy(policy);
                reply.mutable_fragment()->set_rounds(rounds);
                python.Send(message);
            };
        };
        Add("a fragment without a policy",
            Failure::CODE_MALFORMED_MESSAGE,
            "orders a fragment without a policy or without rounds",
            play("", 1));
        Add("a fragment with an invalid policy",
            Failure::CODE_INVALID_POLICY,
            "the fragment's policy: it is not an ONNX file",
            play("nonsense", 1));
        Add("a fragment with another command",
            Failure::CODE_MALFORMED_MESSAGE,
            "a fragment, which its command does not use",
            [](auto& python) {
                wire::PythonMessage message;
                message.mutable_step_reply()->set_sequence(1);
                message.mutable_step_reply()->set_command(wire::COMMAND_STEP);
                message.mutable_step_reply()->mutable_fragment()->set_rounds(1);
                python.Send(message);
            });
        Add("an unspecified command",
            Failure::CODE_MALFORMED_MESSAGE,
            "command 0, which is unknown",
            [](auto& python) { python.Command(1, wire::COMMAND_UNSPECIFIED); });
        Add("actions with COMMAND_STOP",
            Failure::CODE_MALFORMED_MESSAGE,
            "actions or transfers, which its command does not use",
            [](auto& python) {
                wire::PythonMessage message;
                message.mutable_step_reply()->set_sequence(1);
                message.mutable_step_reply()->set_command(wire::COMMAND_STOP);
                message.mutable_step_reply()->add_actions();
                python.Send(message);
            });
        Add("a transfer with COMMAND_TRUNCATE",
            Failure::CODE_MALFORMED_MESSAGE,
            "actions or transfers, which its command does not use",
            [](auto& python) {
                wire::PythonMessage message;
                message.mutable_step_reply()->set_sequence(1);
                message.mutable_step_reply()->set_command(wire::COMMAND_TRUNCATE);
                message.mutable_step_reply()->add_transfers();
                python.Send(message);
            });
        Add("a message without content",
            Failure::CODE_MALFORMED_MESSAGE,
            "without content",
            [](auto& python) { python.SendBytes(""); });
        Add("a truncated message",
            Failure::CODE_MALFORMED_MESSAGE,
            "Python sent 3 bytes that are not a message of the protocol",
            [](auto& python) { python.SendBytes("\x0A\x7F\x01"); });
    }
};

static WrongReplyTestSuite g_wrongReplyTestSuite; //!< Registers the suite
