// SPDX-License-Identifier: GPL-2.0-only

#include "defiance/v1/fork.pb.h"
#include "interface-test-support.h"

#include "ns3/global-value.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <thread>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/** A pipe whose ends are closed with it. */
struct Pipe
{
    Pipe()
    {
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
        {
            ends = {-1, -1};
        }
    }

    ~Pipe()
    {
        close(ends[0]);
        close(ends[1]);
    }

    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    std::array<int, 2> ends{}; //!< Read end and write end
};

/** Python's end of the conversation with a copy. */
class FakeSnapshot
{
  public:
    /** @param address Where to wait for the copy. */
    explicit FakeSnapshot(const std::string& address)
    {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        address.copy(name.sun_path, sizeof(name.sun_path) - 1);
        m_listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        bind(m_listener, reinterpret_cast<const sockaddr*>(&name), sizeof(name));
        listen(m_listener, 1);
    }

    ~FakeSnapshot()
    {
        close(m_listener);
        close(m_socket);
    }

    FakeSnapshot(const FakeSnapshot&) = delete;
    FakeSnapshot& operator=(const FakeSnapshot&) = delete;

    /** Let the copy in; it has connected by now. */
    void Accept()
    {
        fcntl(m_listener, F_SETFL, O_NONBLOCK);
        m_socket = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    }

    /** @return the next message of the copy, or an empty one after ten seconds */
    wire::ForkServerMessage Receive()
    {
        wire::ForkServerMessage message;
        std::array<char, 4096> buffer{};
        pollfd item{m_socket, POLLIN, 0};
        const auto size =
            poll(&item, 1, 10000) == 1 ? recv(m_socket, buffer.data(), buffer.size(), 0) : -1;
        message.ParseFromArray(buffer.data(), static_cast<int>(size > 0 ? size : 0));
        return message;
    }

    /**
     * Have the copy turned into a simulation.
     *
     * @param request The request.
     * @param lifeline Its lifeline.
     * @param output Where the simulation writes.
     */
    void Send(const wire::ForkRequest& request, int lifeline, int output)
    {
        auto bytes = request.SerializeAsString();
        const std::array<int, 2> descriptors{lifeline, output};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(descriptors))> control{};
        iovec data{bytes.data(), bytes.size()};
        msghdr header{};
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        auto* passed = CMSG_FIRSTHDR(&header);
        passed->cmsg_level = SOL_SOCKET;
        passed->cmsg_type = SCM_RIGHTS;
        passed->cmsg_len = CMSG_LEN(sizeof(descriptors));
        std::memcpy(CMSG_DATA(passed), descriptors.data(), sizeof(descriptors));
        sendmsg(m_socket, &header, MSG_NOSIGNAL);
    }

  private:
    int m_listener{-1}; //!< Where the copy connects
    int m_socket{-1};   //!< Connection to the copy
};

} // namespace

/**
 * @brief A test that requests a copy of a simulation.
 */
class SnapshotTestCase : public InterfaceTestCase
{
  protected:
    using InterfaceTestCase::InterfaceTestCase;

    /**
     * @param sequence Number of the request that waits for its reply.
     * @param address Where Python waits for the copy.
     * @return the simulation's answer
     */
    wire::Resumed Ask(uint64_t sequence, const std::string& address)
    {
        wire::PythonMessage message;
        message.mutable_step_reply()->set_sequence(sequence);
        message.mutable_step_reply()->set_command(wire::COMMAND_SNAPSHOT);
        message.mutable_step_reply()->set_snapshot_address(address);
        m_python.Send(message);
        const auto reply = m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(reply.has_resumed(), true, reply.ShortDebugString());
        return reply.resumed();
    }

    /**
     * Answer the requests 2 and 3, which come at 2 and 3 ms.
     *
     * @param sum Sum of the actions so far.
     * @param action The next action.
     */
    void PlayOn(double sum, int64_t action)
    {
        m_python.Step(1, {MakeDiscreteContainer(action)});
        for (uint64_t i = 2; i <= 3; ++i)
        {
            const auto request = ExpectRequest(i, static_cast<int64_t>(i));
            sum += static_cast<double>(action);
            NS_TEST_EXPECT_MSG_EQ(GetSum(request.steps(0).observations(), 0),
                                  sum,
                                  "The sum of actions");
            m_python.Step(i, {MakeDiscreteContainer(action)});
        }
        ExpectEnd(3);
    }
};

/** A copy becomes two simulations in turn, and the original continues as well. */
class CopiedWalkTestCase : public SnapshotTestCase
{
  public:
    CopiedWalkTestCase()
        : SnapshotTestCase("A copy continues from its state, as often as Python requests")
    {
    }

  private:
    void DoRun() override
    {
        const Pipe life;
        auto process = Start([] {
            Walker a("a");
            for (int64_t i = 1; i <= 3; ++i)
            {
                a.AskAt(MilliSeconds(i));
            }
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        const TemporaryDirectory directory;
        const auto address = directory.GetPath("copy");
        auto snapshot = std::make_unique<FakeSnapshot>(address);
        const auto resumed = Ask(1, address);
        NS_TEST_EXPECT_MSG_EQ(resumed.token(), "episode-7", "The original reports it");
        NS_TEST_ASSERT_MSG_EQ(resumed.refusal(), "", "There is a copy");
        snapshot->Accept();
        const pid_t copy = snapshot->Receive().ready().pid();
        NS_TEST_ASSERT_MSG_GT(copy, 0, "The copy is ready");
        PlayOn(0, 1);
        ExpectSuccess(*process);
        for (int64_t action = 0; action <= 2; ++action)
        {
            const Pipe output;
            wire::ForkRequest request;
            request.set_number(static_cast<uint64_t>(action));
            (*request.mutable_environment())["DEFIANCE_ENDPOINT"] = m_python.GetEndpoint();
            (*request.mutable_environment())["DEFIANCE_TOKEN"] = "episode-8";
            snapshot->Send(request, life.ends[0], output.ends[1]);
            const pid_t restored = snapshot->Receive().forked().pid();
            NS_TEST_EXPECT_MSG_GT(restored, 0, "The simulation runs");
            NS_TEST_EXPECT_MSG_EQ(m_python.Receive().resumed().token(),
                                  "episode-8",
                                  "It sends a message");
            PlayOn(0, action);
            ExpectExit(restored, 0);
        }
        snapshot.reset();
        ExpectExit(copy, 0);
    }

    /**
     * @param pid A copy, which is a child of this process like the original.
     * @param status Its expected exit status.
     */
    void ExpectExit(pid_t pid, int status)
    {
        int end = -1;
        NS_TEST_EXPECT_MSG_EQ(waitpid(pid, &end, 0), pid, "It is a sibling of the original");
        NS_TEST_EXPECT_MSG_EQ(end, status, "It has exited normally");
    }
};

/** Simulations that cannot be copied. */
class RefusalTestCase : public SnapshotTestCase
{
  public:
    /**
     * @param name The obstacle.
     * @param refusal Part of the simulation's expected answer.
     * @param prepare Brings the simulation into that state.
     * @param address Where the copy is to connect.
     */
    RefusalTestCase(const std::string& name,
                    std::string refusal,
                    const std::function<void()>& prepare,
                    std::string address = "/nowhere")
        : SnapshotTestCase("No copy is made of a simulation with " + name),
          m_refusal(std::move(refusal)),
          m_prepare(prepare),
          m_address(std::move(address))
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([this] {
            m_prepare();
            Walker a("a");
            for (int64_t i = 1; i <= 3; ++i)
            {
                a.AskAt(MilliSeconds(i));
            }
            // In real time, an idle simulation waits for more events.
            Simulator::Schedule(MilliSeconds(3), [] { Simulator::Stop(); });
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        const auto resumed = Ask(1, m_address);
        NS_TEST_EXPECT_MSG_NE(resumed.refusal().find(m_refusal),
                              std::string::npos,
                              resumed.refusal());
        PlayOn(0, 2);
        ExpectSuccess(*process);
    }

    std::string m_refusal;           //!< Expected refusal
    std::function<void()> m_prepare; //!< Brings the simulation into that state
    std::string m_address;           //!< Address where no process waits for the copy
};

/** Copies of running simulations. */
class SnapshotTestSuite : public TestSuite
{
  public:
    SnapshotTestSuite()
        : TestSuite("defiance-snapshot", Type::UNIT)
    {
        AddTestCase(new CopiedWalkTestCase);
        AddTestCase(new RefusalTestCase("no process to wait for it",
                                        "cannot be reached at '/nowhere': No such file",
                                        [] {}));
        AddTestCase(new RefusalTestCase(
            "too long a path to Python",
            "File name too long",
            [] {},
            std::string(200, '/')));
        AddTestCase(new RefusalTestCase("a real-time clock", "RealtimeSimulatorImpl", [] {
            GlobalValue::Bind("SimulatorImplementationType",
                              StringValue("ns3::RealtimeSimulatorImpl"));
        }));
        AddTestCase(new RefusalTestCase("threads", "threads", [] {
            std::thread([] { pause(); }).detach();
        }));
    }
};

static SnapshotTestSuite g_snapshotTestSuite; //!< Registers the suite
