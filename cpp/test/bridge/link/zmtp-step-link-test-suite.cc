// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "process-copy.h"
#include "step-link.h"

#include "ns3/test.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>

using namespace ns3;

namespace
{

/** The first bytes of a connection, in both directions: ZMTP 3.0, section "greeting". */
const std::string GREETING = "\xff" + std::string(8, '\0') + "\x7f\x03" + std::string(1, '\0') +
                             "NULL" + std::string(16 + 1 + 31, '\0');

/**
 * @param body Body of a command, shorter than 256 bytes.
 * @return the command as a frame
 */
std::string
MakeCommand(const std::string& body)
{
    return "\x04" + std::string(1, static_cast<char>(body.size())) + body;
}

/** A ROUTER's message when it is ready. */
const std::string READY =
    MakeCommand(std::string("\x05READY\x0bSocket-Type") + std::string("\0\0\0\x06ROUTER", 10));

/** The message of a DEALER with the token "episode". */
const std::string INTRODUCTION =
    MakeCommand(std::string("\x05READY\x0bSocket-Type") + std::string("\0\0\0\x06", 4) +
                "DEALER\x08Identity" + std::string("\0\0\0\x07", 4) + "episode");

/** Timeout of the other side's reads. */
constexpr timeval PATIENCE{10, 0};

/**
 * @param size Length of a text.
 * @return a message that holds such a text
 */
template <typename T>
T
MakeMessage(std::size_t size)
{
    T message;
    message.mutable_failure()->set_code(defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
    message.mutable_failure()->set_message(std::string(size, 'x'));
    return message;
}

/**
 * @param body A message.
 * @return the message as a frame
 */
std::string
MakeFrame(const std::string& body)
{
    const auto size = body.size();
    if (size < 256)
    {
        return std::string(1, '\0') + static_cast<char>(size) + body;
    }
    std::string length;
    for (int shift = 56; shift >= 0; shift -= 8)
    {
        length += static_cast<char>(size >> shift);
    }
    return "\x02" + length + body;
}

} // namespace

/**
 * @brief A link, and the bytes at its other end.
 */
class ZmtpTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Connect a link.
     *
     * @param said The first bytes of the other side.
     * @param patience Time limit, in seconds.
     * @return the error of the connection, or an empty string
     */
    std::string Open(const std::string& said, double patience = 10)
    {
        Close();
        const TemporaryDirectory directory;
        sockaddr_un address{AF_UNIX, {}};
        const auto path = directory.GetPath("link");
        path.copy(address.sun_path, path.size());
        const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address));
        listen(listener, 1);
        auto peer = std::async(std::launch::async, [&] {
            const int connection = accept(listener, nullptr, nullptr);
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &PATIENCE, sizeof(PATIENCE));
            send(connection, said.data(), said.size(), MSG_NOSIGNAL);
            return connection;
        });
        BridgeOptions options;
        options.endpoint = "ipc://" + path;
        options.token = "episode";
        options.connectTimeout = patience;
        m_link = StepLink::Create(options);
        const auto fault = FindFault([this] { m_link->Connect(); });
        m_peer = peer.get();
        close(listener);
        return fault;
    }

    /**
     * @param action A function to call.
     * @return its error, or an empty string
     */
    static std::string FindFault(const std::function<void()>& action)
    {
        try
        {
            action();
        }
        catch (const BridgeFault& fault)
        {
            return fault.what();
        }
        return "";
    }

    /**
     * @param size Number of bytes.
     * @return the bytes that the other side reads
     */
    std::string Read(std::size_t size)
    {
        std::string bytes(size, '\0');
        bytes.resize(std::max<ssize_t>(recv(m_peer, bytes.data(), size, MSG_WAITALL), 0));
        return bytes;
    }

    /** @param bytes Bytes from the other side. */
    void Write(const std::string& bytes)
    {
        send(m_peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

    /** Close everything. */
    void Close()
    {
        m_link.reset();
        if (m_peer != -1)
        {
            close(m_peer);
            m_peer = -1;
        }
    }

    /** Called by ns-3 after the test. */
    void DoTeardown() override
    {
        Close();
    }

    std::unique_ptr<StepLink> m_link; //!< The simulation's end
    int m_peer{-1};                   //!< The other end
};

/**
 * @brief All bytes before the first message.
 */
class HandshakeTestCase : public ZmtpTestCase
{
  public:
    HandshakeTestCase()
        : ZmtpTestCase("A link sends the specified greeting and its token")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ(Open(GREETING + READY), "", "It connects");
        NS_TEST_EXPECT_MSG_EQ((Read(GREETING.size()) == GREETING), true, "The greeting");
        NS_TEST_EXPECT_MSG_EQ((Read(INTRODUCTION.size()) == INTRODUCTION), true, "The token");
    }
};

/**
 * @brief Peers other than a ROUTER without encryption.
 */
class WrongPeerTestCase : public ZmtpTestCase
{
  public:
    WrongPeerTestCase()
        : ZmtpTestCase("A failed handshake reports its reason, and an endless one is given up")
    {
    }

  private:
    /**
     * @param said Bytes of the other side.
     * @param reason Reason of the refusal.
     */
    void Refuse(const std::string& said, const std::string& reason)
    {
        const auto fault = Open(said, 0.1);
        NS_TEST_EXPECT_MSG_NE(fault.find("the handshake with 'ipc://"), std::string::npos, fault);
        NS_TEST_EXPECT_MSG_NE(fault.find(reason), std::string::npos, fault);
    }

    void DoRun() override
    {
        auto old = GREETING;
        old[10] = 2;
        auto encrypted = GREETING;
        encrypted.replace(12, 5, "CURVE");
        Refuse(std::string(64, 'G'), "it does not speak ZMTP 3");
        Refuse(old, "it does not speak ZMTP 3");
        Refuse(encrypted, "it wants an encrypted connection; do the keys match?");
        Refuse(GREETING + MakeCommand("\x05"
                                      "ERROR\x02no"),
               "it did not send READY");
        Refuse(GREETING + MakeFrame("READY"), "it did not send READY");
        Refuse("", "no answer arrived in time");
        Refuse(GREETING + READY.substr(0, 9), "no answer arrived in time");
    }
};

/**
 * @brief Short and long frames, and commands between them.
 */
class FramesTestCase : public ZmtpTestCase
{
  public:
    FramesTestCase()
        : ZmtpTestCase("Messages of every length pass; commands between them are ignored")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ(Open(GREETING + READY), "", "It connects");
        Read(GREETING.size() + INTRODUCTION.size());
        for (const std::size_t size : {1U, 100U, 247U, 248U, 249U, 250U, 251U, 255U, 256U, 70'000U})
        {
            const auto out = MakeMessage<defiance::v1::SimulationMessage>(size);
            const auto frame = MakeFrame(out.SerializeAsString());
            m_link->Send(out);
            NS_TEST_EXPECT_MSG_EQ((Read(frame.size()) == frame), true, size << " to Python");
            const auto in = MakeMessage<defiance::v1::PythonMessage>(size);
            Write(MakeCommand("\x04PING") + MakeFrame(in.SerializeAsString()));
            defiance::v1::PythonMessage read;
            m_link->Receive(read);
            NS_TEST_EXPECT_MSG_EQ(read.failure().message().size(), size, "From Python");
        }
    }
};

/**
 * @brief Frames that are not messages of the protocol.
 */
class WrongFrameTestCase : public ZmtpTestCase
{
  public:
    WrongFrameTestCase()
        : ZmtpTestCase("Messages of several frames, endless ones and truncated ones are refused")
    {
    }

  private:
    /**
     * @param bytes Bytes of the other side before it closes the connection.
     * @param reason Reason of the refusal.
     */
    void Refuse(const std::string& bytes, const std::string& reason)
    {
        NS_TEST_ASSERT_MSG_EQ(Open(GREETING + READY + bytes), "", "It connects");
        shutdown(m_peer, SHUT_WR);
        defiance::v1::PythonMessage message;
        const auto fault = FindFault([&] { m_link->Receive(message); });
        NS_TEST_EXPECT_MSG_NE(fault.find(reason), std::string::npos, fault);
    }

    void DoRun() override
    {
        const auto frame =
            MakeFrame(MakeMessage<defiance::v1::PythonMessage>(9).SerializeAsString());
        Refuse("\x01" + frame.substr(1) + frame, "not a message of the protocol");
        Refuse("\x02" + std::string(8, '\x7f'), "where 2147483647 are possible");
        Refuse(frame.substr(0, frame.size() - 1), "has closed the connection");
        Refuse(frame.substr(0, 1), "has closed the connection");
        Refuse("", "has closed the connection");
    }
};

/**
 * @brief ZeroMQ at the other end.
 */
class RouterTestCase : public TestCase
{
  public:
    RouterTestCase()
        : TestCase("A ROUTER identifies the link by its token, and the link needs no thread")
    {
    }

  private:
    void DoRun() override
    {
        FakePython python;
        const auto simulate = [&python] {
            BridgeOptions options;
            options.endpoint = python.GetEndpoint();
            options.token = "episode";
            const auto link = StepLink::Create(options);
            link->Connect();
            defiance::v1::PythonMessage message;
            do
            {
                link->SendFailure(defiance::v1::Failure::CODE_MALFORMED_MESSAGE,
                                  message.failure().message());
                link->Receive(message);
            } while (message.has_failure());
            return AwaitSingleThread() ? 0 : 1;
        };
        ForkedSimulation process(simulate, {});
        for (const std::size_t size : {0U, 200U, 300U, 3'000'000U})
        {
            NS_TEST_EXPECT_MSG_EQ(python.Receive().failure().message().size(), size, "An echo");
            NS_TEST_EXPECT_MSG_EQ(python.GetPeer(), "episode", "The sender");
            const auto next = size == 0 ? 200U : size == 200 ? 300U : 3'000'000U;
            size < next ? python.Send(MakeMessage<defiance::v1::PythonMessage>(next))
                        : python.Command(1, defiance::v1::COMMAND_STOP);
        }
        const auto end = process.Wait();
        NS_TEST_EXPECT_MSG_EQ(end.status, 0, "Without a thread: " << end.errors);
    }
};

/** ZeroMQ's protocol, implemented without ZeroMQ. */
class ZmtpStepLinkTestSuite : public TestSuite
{
  public:
    ZmtpStepLinkTestSuite()
        : TestSuite("defiance-zmtp-step-link")
    {
        AddTestCase(new HandshakeTestCase);
        AddTestCase(new WrongPeerTestCase);
        AddTestCase(new FramesTestCase);
        AddTestCase(new WrongFrameTestCase);
        AddTestCase(new RouterTestCase);
    }
};

static ZmtpStepLinkTestSuite g_zmtpStepLinkTestSuite; //!< Registers the suite
