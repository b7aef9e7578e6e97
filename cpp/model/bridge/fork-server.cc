// SPDX-License-Identifier: GPL-2.0-only

#include "private/fork-server.h"

#include "private/bridge-options.h"
#include "private/warm-up.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/** Name of the environment variable that holds the server's end of the socket. */
constexpr const char* VARIABLE = "DEFIANCE_FORK_SERVER";

/** A lifeline, an output, and for a local link two pipes and shared memory. */
constexpr std::size_t MAX_DESCRIPTORS = 5;

/** Largest request, in bytes. */
constexpr std::size_t MAX_REQUEST = 256 * 1024;

/**
 * End the server.
 *
 * @param message Why.
 */
[[noreturn]] void
GiveUp(const std::string& message)
{
    Complain(message);
    EndProcess(1);
}

/** Refuse to serve with threads, which a fork would not take along. */
void
RequireOneThread()
{
    const std::filesystem::directory_iterator threads("/proc/self/task");
    if (std::distance(begin(threads), end(threads)) > 1)
    {
        GiveUp("the program has threads before RlSimulation::Parse(), so it cannot be forked: "
               "start it with launch=\"spawn\"");
    }
}

/**
 * Set ns-3's global values, as ns-3 itself does when a program starts: of two values for one name
 * the first counts.
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

} // namespace

std::optional<std::vector<std::string>>
ForkServer::ServeIfAsked()
{
    const char* text = std::getenv(VARIABLE);
    if (!text)
    {
        return std::nullopt;
    }
    int socket = -1;
    if (!ParseText(text, socket))
    {
        GiveUp(std::string("environment variable ") + VARIABLE + " is '" + text +
               "', which is no number");
    }
    unsetenv(VARIABLE);
    RequireOneThread();
    WarmUp();
    return ForkServer(socket).Serve();
}

ForkServer::ForkServer(int socket)
    : m_socket(socket)
{
}

std::vector<std::string>
ForkServer::Serve()
{
    // Only Wait() is interrupted by the end of a child.
    std::signal(SIGCHLD, [](int) {});
    sigset_t childSignal;
    sigemptyset(&childSignal);
    sigaddset(&childSignal, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &childSignal, nullptr);
    defiance::v1::ForkServerMessage ready;
    ready.mutable_ready();
    Tell(ready);
    while (true)
    {
        Wait();
        Reap();
        const auto request = ReadRequest();
        if (request && Fork(*request))
        {
            const auto& arguments = request->message.arguments();
            return {arguments.begin(), arguments.end()};
        }
    }
}

void
ForkServer::Wait() const
{
    sigset_t open;
    pthread_sigmask(SIG_SETMASK, nullptr, &open);
    sigdelset(&open, SIGCHLD);
    pollfd item{m_socket, POLLIN, 0};
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
        Tell(message);
    }
}

std::optional<ForkServer::Request>
ForkServer::ReadRequest() const
{
    static std::array<char, MAX_REQUEST> buffer;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))> control{};
    iovec data{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const auto size = recvmsg(m_socket, &header, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
    {
        return std::nullopt;
    }
    if (size <= 0)
    {
        EndProcess(0); // Python has gone, and its simulations end with their lifelines
    }
    Request request;
    const auto* descriptors = CMSG_FIRSTHDR(&header);
    const auto count = descriptors ? (descriptors->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
    if (count < 2 || count == 3 || count > MAX_DESCRIPTORS ||
        !request.message.ParseFromArray(buffer.data(), static_cast<int>(size)))
    {
        GiveUp("the fork server got " + std::to_string(size) + " bytes that are no request");
    }
    request.descriptors.resize(count);
    std::memcpy(request.descriptors.data(), CMSG_DATA(descriptors), count * sizeof(int));
    return request;
}

bool
ForkServer::Fork(const Request& request) const
{
    const auto pid = fork();
    if (pid == 0)
    {
        Become(request);
        return true;
    }
    for (const auto passed : request.descriptors)
    {
        close(passed);
    }
    const auto descriptor = pid > 0 ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1;
    if (descriptor < 0)
    {
        GiveUp(std::string("no simulation could be forked: ") + std::strerror(errno));
    }
    defiance::v1::ForkServerMessage message;
    message.mutable_forked()->set_pid(pid);
    message.mutable_forked()->set_number(request.message.number());
    Tell(message, descriptor);
    close(descriptor);
    return false;
}

void
ForkServer::Become(const Request& request) const
{
    close(m_socket);
    const auto& passed = request.descriptors;
    dup2(passed[1], STDOUT_FILENO);
    dup2(passed[1], STDERR_FILENO);
    close(passed[1]);
    std::signal(SIGCHLD, SIG_DFL);
    sigset_t childSignal;
    sigemptyset(&childSignal);
    sigaddset(&childSignal, SIGCHLD);
    pthread_sigmask(SIG_UNBLOCK, &childSignal, nullptr);
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
    if (const char* values = std::getenv("NS_GLOBAL_VALUE"))
    {
        SetGlobalValues(values);
    }
}

void
ForkServer::Tell(const defiance::v1::ForkServerMessage& message, int descriptor) const
{
    auto bytes = message.SerializeAsString();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec data{bytes.data(), bytes.size()};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    if (descriptor >= 0)
    {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        auto* passed = CMSG_FIRSTHDR(&header);
        passed->cmsg_level = SOL_SOCKET;
        passed->cmsg_type = SCM_RIGHTS;
        passed->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(passed), &descriptor, sizeof(descriptor));
    }
    if (sendmsg(m_socket, &header, MSG_NOSIGNAL) < 0)
    {
        EndProcess(0); // Python has gone
    }
}

} // namespace ns3
