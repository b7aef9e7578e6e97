// SPDX-License-Identifier: GPL-2.0-only

// The simulation's links, and Python's reader of mailbox rows: any bytes from the other side are
// accepted as a message or refused.

#include "doorbell.h"
#include "mailbox.h"
#include "message-rows.h"
#include "step-link.h"
#include "targets.h"
#include "temporary-directory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

using namespace ns3;

namespace
{

/**
 * Read all messages.
 *
 * @param endpoint Endpoint of the link.
 */
void
ReadAll(const std::string& endpoint)
{
    BridgeOptions options;
    options.endpoint = endpoint;
    options.token = "episode";
    options.connectTimeout = 10;
    const auto link = StepLink::Create(options);
    defiance::v1::PythonMessage message;
    // Each loop ends, because the other side stops writing.
    for (bool connected = false; true; connected = true)
    {
        try
        {
            connected ? link->Receive(message) : link->Connect();
        }
        catch (const BridgeFault& fault)
        {
            if (!connected || fault.code == defiance::v1::Failure::CODE_UNSPECIFIED ||
                std::string_view(fault.what()).find("no message") == std::string_view::npos)
            {
                return;
            }
        }
    }
}

/**
 * @param input Bytes to write into a pipe before it is closed.
 * @return the read end
 */
int
MakePipe(const std::string& input)
{
    std::array<int, 2> ends{};
    Require(pipe(ends.data()) == 0, "there is a pipe");
    fcntl(ends[1], F_SETFL, O_NONBLOCK); // bytes beyond its capacity are cut
    [[maybe_unused]] const auto written = write(ends[1], input.data(), input.size());
    close(ends[1]);
    return ends[0];
}

/** @return a descriptor without a reader */
int
OpenNowhere()
{
    return open("/dev/null", O_WRONLY);
}

/** @param input Bytes from Python through a pipe. */
void
ReadPipe(const std::string& input)
{
    ReadAll("fd:" + std::to_string(MakePipe(input)) + "," + std::to_string(OpenNowhere()));
}

/** @param input Bytes from Python through a mailbox, after their length. */
void
ReadMailbox(const std::string& input)
{
    static const int boxes = memfd_create("mailboxes", 0);
    static const int doorbell = memfd_create("bell", 0);
    static Mailboxes* shared = [] {
        Require(ftruncate(boxes, sizeof(Mailboxes)) == 0 &&
                    ftruncate(doorbell, sizeof(Doorbell)) == 0,
                "there is memory");
        return static_cast<Mailboxes*>(
            mmap(nullptr, sizeof(Mailboxes), PROT_READ | PROT_WRITE, MAP_SHARED, boxes, 0));
    }();
    auto& box = shared->toSimulation;
    const auto head = std::min(input.size(), sizeof(box.length));
    box.length = 0;
    std::memcpy(&box.length, input.data(), head);
    std::memcpy(box.bytes,
                input.data() + head,
                std::min<std::size_t>(input.size() - head, Mailbox::CAPACITY));
    box.posted = box.read + 1;
    box.closed = 1;
    ReadAll("fd:" + std::to_string(MakePipe(input)) + "," + std::to_string(OpenNowhere()) + "," +
            std::to_string(dup(boxes)) + "," + std::to_string(dup(doorbell)));
}

/**
 * @brief A peer at a Unix socket that sends bytes to each client, and then reads.
 */
class ScriptedPeer
{
  public:
    ScriptedPeer()
    {
        sockaddr_un address{AF_UNIX, {}};
        m_directory.GetPath("link").copy(address.sun_path, sizeof(address.sun_path) - 1);
        m_listener = socket(AF_UNIX, SOCK_STREAM, 0);
        Require(bind(m_listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
                    listen(m_listener, 1) == 0,
                "there is a socket");
        m_thread = std::thread([this] { Talk(); });
    }

    ~ScriptedPeer()
    {
        shutdown(m_listener, SHUT_RDWR);
        m_thread.join();
        close(m_listener);
    }

    ScriptedPeer(const ScriptedPeer&) = delete;
    ScriptedPeer& operator=(const ScriptedPeer&) = delete;

    /**
     * @param words The next bytes.
     * @return the path of the socket
     */
    std::string Say(const std::string& words)
    {
        const std::lock_guard guard(m_mutex);
        m_words = words;
        return "ipc://" + m_directory.GetPath("link");
    }

  private:
    /** Serve clients one by one. */
    void Talk()
    {
        for (int peer = accept(m_listener, nullptr, nullptr); peer != -1;
             peer = accept(m_listener, nullptr, nullptr))
        {
            std::string words;
            {
                const std::lock_guard guard(m_mutex);
                words = m_words;
            }
            send(peer, words.data(), words.size(), MSG_NOSIGNAL);
            shutdown(peer, SHUT_WR);
            std::array<char, 4096> answer{};
            while (read(peer, answer.data(), answer.size()) > 0)
            {
            }
            close(peer);
        }
    }

    TemporaryDirectory m_directory; //!< Directory of the socket
    int m_listener;                 //!< The socket
    std::mutex m_mutex;             //!< Protects the words
    std::string m_words;            //!< The next bytes
    std::thread m_thread;           //!< Sends the words
};

/** @param input Bytes from Python through a Unix socket. */
void
ReadSocket(const std::string& input)
{
    static ScriptedPeer peer;
    ReadAll(peer.Say(input));
}

/**
 * @brief Takes numbers from the beginning of an input.
 */
class Numbers
{
  public:
    /** @param input An input. */
    explicit Numbers(const std::string& input)
        : m_input(input)
    {
    }

    /** @return the next number, or 0 */
    uint64_t Next()
    {
        uint64_t number = 0;
        const auto size = std::min(sizeof(number), m_input.size() - m_place);
        std::memcpy(&number, m_input.data() + m_place, size);
        m_place += size;
        return number;
    }

    /** @return the remaining input */
    std::string Rest() const
    {
        return m_input.substr(m_place);
    }

  private:
    const std::string& m_input; //!< The input
    std::size_t m_place{0};     //!< Position of the next number
};

/** @param input Positions of fields, a simulation's reported length, and a request. */
void
ReadRows(const std::string& input)
{
    Numbers numbers(input);
    std::array<uint64_t, 5> parts{};
    std::generate(parts.begin(), parts.end(), [&] { return numbers.Next(); });
    const auto length = numbers.Next();
    const auto request = numbers.Next();
    const auto said = numbers.Rest();
    const MessageTemplate requestForm(said,
                                      {{parts[0], sizeof(uint64_t)},
                                       {parts[1], sizeof(int64_t)},
                                       {parts[2], parts[3]},
                                       {parts[4], sizeof(double)}});
    const auto boxes = std::make_unique<Mailboxes>();
    std::memcpy(boxes->toPython.bytes,
                said.data(),
                std::min<std::size_t>(said.size(), Mailbox::CAPACITY));
    boxes->toPython.Post(length);
    if (requestForm.IsValid() && RequestRows(requestForm).IsValid(2))
    {
        const RequestRows requests(requestForm);
        int64_t time = 0;
        std::array<char, sizeof(double)> reward{};
        std::string observation(parts[3], '\0');
        const bool taken =
            requests.Take(boxes->toPython, request, time, 0, {observation.data(), reward.data()});
        Require(!taken || length == said.size(), "only messages of this length are taken");
    }
    const MessageTemplate answerForm(said, {{parts[0], sizeof(uint64_t)}, {parts[1], parts[3]}});
    if (answerForm.IsValid() && AnswerRows(answerForm).IsValid())
    {
        const AnswerRows answers(answerForm);
        answers.Post(*boxes, request, std::string(answers.GetActionSize(), '\0').data());
        Require(boxes->toSimulation.GetLength() == said.size(), "the answer has the same length");
    }
}

} // namespace

std::map<std::string, FuzzTarget>
GetLinkTargets()
{
    return {{"pipe", ReadPipe}, {"mailbox", ReadMailbox}, {"zmtp", ReadSocket}, {"rows", ReadRows}};
}
