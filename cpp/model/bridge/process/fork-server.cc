// SPDX-License-Identifier: GPL-2.0-only

#include "private/fork-server.h"

#include "bridge-options.h"
#include "private/lifeline.h"
#include "private/process-copy.h"
#include "private/warm-up.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @brief Lets the end of a child process interrupt one system call, only on request.
 */
class ChildSignal
{
  public:
    ChildSignal()
    {
        struct sigaction action
        {
        };

        action.sa_handler = [](int) {};
        sigaction(SIGCHLD, &action, &m_action);
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGCHLD);
        pthread_sigmask(SIG_BLOCK, &blocked, &m_mask);
    }

    /** Restore the previous state. */
    ~ChildSignal()
    {
        sigaction(SIGCHLD, &m_action, nullptr);
        pthread_sigmask(SIG_SETMASK, &m_mask, nullptr);
    }

    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;

  private:
    struct sigaction m_action
    {
    }; //!< The previous action at the signal

    sigset_t m_mask{}; //!< Signals blocked before
};

/** Environment variable with the server's end of the socket. */
constexpr const char* VARIABLE = "DEFIANCE_FORK_SERVER";

/** Environment variable with the read end of the server's lifeline. */
constexpr const char* LIFELINE = "DEFIANCE_LIFELINE";

/**
 * End the server.
 *
 * @param message Reason of the end.
 */
[[noreturn]] void
GiveUp(const std::string& message)
{
    ReportError(message);
    std::fflush(stdout);
    std::_Exit(1);
}

/**
 * Read and remove an environment variable with a descriptor.
 *
 * @param name Name of the variable.
 * @return the descriptor; nothing: the variable is not set
 */
std::optional<int>
TakeDescriptor(const char* name)
{
    const char* text = std::getenv(name);
    if (!text)
    {
        return std::nullopt;
    }
    int descriptor = -1;
    if (!ParseText(text, descriptor))
    {
        GiveUp(std::string("environment variable ") + name + " is '" + text +
               "', which is not a number");
    }
    unsetenv(name);
    return descriptor;
}

/**
 * @param pid Process id, or -1.
 * @return a pidfd of the process, or -1
 */
int
OpenProcess(pid_t pid)
{
    return pid > 0 ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1;
}

/**
 * Fork this process, or end it if the program has changed.
 *
 * @param [out] descriptor In the original: a pidfd of the new process.
 * @return fork()'s result
 */
pid_t
ForkChild(int& descriptor)
{
    const auto& isCurrent = GetForkHooks().isCurrent;
    if (isCurrent && !isCurrent())
    {
        std::_Exit(0); // Python starts another server, of the changed program
    }
    const auto pid = fork();
    descriptor = OpenProcess(pid);
    return pid;
}

/**
 * Set ns-3's global values, as ns-3 itself does at the start of a program: of two values for one
 * name, the first counts.
 *
 * @param text "name=value;..."
 */
void
SetGlobalValues(const std::string& text)
{
    std::set<std::string> known;
    std::istringstream stream(text);
    for (std::string entry; std::getline(stream, entry, ';');)
    {
        const auto equals = entry.find('=');
        const auto name = entry.substr(0, equals);
        if (equals != std::string::npos && known.insert(name).second)
        {
            GlobalValue::BindFailSafe(name, StringValue(entry.substr(equals + 1)));
        }
    }
}

/**
 * Wait until another simulation has ended, or has written all its output.
 *
 * @param [in,out] passed Descriptors; the last two, a pidfd and the read end of its output, are
 * removed.
 */
void
AwaitPredecessor(std::vector<int>& passed)
{
    // A poll without requested events reports only the end of a pipe.
    std::array<pollfd, 2> items{{{*(passed.end() - 2), POLLIN, 0}, {passed.back(), 0, 0}}};
    while (poll(items.data(), items.size(), -1) == -1 && errno == EINTR)
    {
    }
    for (const auto& item : items)
    {
        close(item.fd);
    }
    passed.resize(passed.size() - items.size());
}

} // namespace

std::optional<std::vector<std::string>>
ForkServer::ServeIfAsked(const std::vector<std::function<void()>>& builds)
{
    const auto socket = TakeDescriptor(VARIABLE);
    if (!socket)
    {
        return std::nullopt;
    }
    if (const auto lifeline = TakeDescriptor(LIFELINE))
    {
        ArmLifeline(*lifeline); // its socket reports the same, but not while the server is stopped
    }
    if (!AwaitSingleThread())
    {
        GiveUp("the program has threads before RlSimulation::Parse(), so it cannot be forked: "
               "start it with launch=\"spawn\"");
    }
    WarmUp(builds);
    const auto request = ForkServer(*socket, ForkChild).Serve();
    if (const char* values = std::getenv("NS_GLOBAL_VALUE"))
    {
        SetGlobalValues(values);
    }
    return std::vector<std::string>(request.arguments().begin(), request.arguments().end());
}

bool
ForkServer::IsAskedFor()
{
    return std::getenv(VARIABLE) != nullptr;
}

defiance::v1::ForkRequest
ForkServer::Serve()
{
    const ChildSignal childSignal;
    SendReady();
    while (true)
    {
        Wait();
        Reap();
        const auto request = ReadRequest();
        if (request && Answer(*request))
        {
            return request->message;
        }
    }
}

void
ForkServer::SendReady() const
{
    defiance::v1::ForkServerMessage message;
    message.mutable_ready()->set_pid(getpid());
    const int self = OpenProcess(getpid());
    Send(message, self);
    close(self);
}

void
ForkServer::Wait() const
{
    sigset_t open;
    pthread_sigmask(SIG_SETMASK, nullptr, &open);
    sigdelset(&open, SIGCHLD);
    pollfd item{m_socket.GetDescriptor(), POLLIN, 0};
    ppoll(&item, 1, nullptr, &open);
}

void
ForkServer::Reap() const
{
    int status = 0;
    for (auto pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG))
    {
        defiance::v1::ForkServerMessage message;
        message.mutable_exited()->set_pid(pid);
        message.mutable_exited()->set_status(status);
        Send(message);
    }
}

std::optional<ForkServer::Request>
ForkServer::ReadRequest() const
{
    auto packet = m_socket.Receive();
    if (!packet)
    {
        return std::nullopt;
    }
    if (packet->bytes.empty())
    {
        std::_Exit(0); // Python is gone, and its simulations end with their lifelines
    }
    Request request;
    request.descriptors = std::move(packet->descriptors);
    const bool parsed = request.message.ParseFromString(packet->bytes);
    // Lifeline and output, and for a local link two pipes, optionally mailboxes and a bell.
    const auto count = request.descriptors.size() - (request.message.awaits_predecessor() ? 2 : 0);
    if (!parsed || (count != 2 && count != 4 && count != 6))
    {
        GiveUp("the fork server got " + std::to_string(packet->bytes.size()) +
               " bytes that are not a request");
    }
    return request;
}

bool
ForkServer::Answer(const Request& request) const
{
    int descriptor = -1;
    const auto pid = CopyProcess(m_fork, descriptor);
    const int error = errno;
    if (pid == 0)
    {
        BecomeSimulation(request);
        return true;
    }
    for (const auto passed : request.descriptors)
    {
        close(passed);
    }
    defiance::v1::ForkServerMessage message;
    message.mutable_forked()->set_number(request.message.number());
    if (descriptor == -1)
    {
        message.mutable_forked()->set_error(error);
        Send(message);
        return false;
    }
    message.mutable_forked()->set_pid(pid);
    Send(message, descriptor);
    close(descriptor);
    return false;
}

void
ForkServer::BecomeSimulation(const Request& request) const
{
    close(m_socket.GetDescriptor());
    DropLifeline(); // the server's lifeline
    auto passed = request.descriptors;
    if (request.message.awaits_predecessor())
    {
        AwaitPredecessor(passed);
    }
    dup2(passed[1], STDOUT_FILENO);
    dup2(passed[1], STDERR_FILENO);
    close(passed[1]);
    for (const auto& [name, value] : request.message.environment())
    {
        setenv(name.c_str(), value.c_str(), 1);
    }
    setenv("DEFIANCE_LIFELINE", std::to_string(passed[0]).c_str(), 1);
    std::string link;
    for (std::size_t i = 2; i < passed.size(); ++i)
    {
        link += (link.empty() ? "fd:" : ",") + std::to_string(passed[i]);
    }
    if (!link.empty())
    {
        setenv("DEFIANCE_ENDPOINT", link.c_str(), 1);
    }
}

void
ForkServer::Send(const defiance::v1::ForkServerMessage& message, int descriptor) const
{
    if (!m_socket.Send(message.SerializeAsString(), descriptor))
    {
        std::_Exit(0); // Python is gone
    }
}

} // namespace ns3
