// SPDX-License-Identifier: GPL-2.0-only

#include "private/snapshot.h"

#include "private/fork-server.h"
#include "private/lifeline.h"
#include "private/open-files.h"
#include "private/process-copy.h"
#include "unix-socket.h"

#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

/** Reject simulations that are coupled with other clocks or processes. */
void
RequireOwnTime()
{
    const auto name = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    for (const char* bound : {"ns3::RealtimeSimulatorImpl",
                              "ns3::DistributedSimulatorImpl",
                              "ns3::NullMessageSimulatorImpl"})
    {
        if (name == bound)
        {
            throw std::runtime_error("its simulator is " + name + ", whose time cannot go back");
        }
    }
}

/**
 * @param address Path of a Unix socket.
 * @return a connection to it
 */
int
ConnectTo(const std::string& address)
{
    const int connection = ConnectToUnixSocket(address, SOCK_SEQPACKET);
    if (connection == -1)
    {
        throw std::runtime_error("Python cannot be reached at '" + address +
                                 "': " + std::strerror(errno));
    }
    return connection;
}

/** Flush pending output, which the copy would write again. */
void
FlushOutput()
{
    std::cout.flush();
    std::clog.flush();
    std::fflush(stdout);
}

/**
 * Release objects that the original continues to use, so that its end is noticed.
 *
 * @param link The connection to Python.
 */
void
Detach(StepLink& link)
{
    link.Close();
    DropLifeline();
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

/** The copy of a process, as seen by the original or by the copy. */
struct ProcessCopy
{
    pid_t pid;       //!< Process id returned by fork()
    int connection;  //!< Connection to Python, in the copy
    OpenFiles files; //!< Positions of open files
};

/**
 * Copy this process.
 *
 * @param address Endpoint at which Python waits for the copy.
 * @return the copy; throw an exception on a failure
 */
ProcessCopy
MakeCopy(const std::string& address)
{
    RequireOwnTime();
    if (!AwaitSingleThread())
    {
        throw std::runtime_error("it has threads, which a copy would not have");
    }
    FlushOutput();
    ProcessCopy copy{-1, -1, OpenFiles::Find()};
    copy.connection = ConnectTo(address);
    int descriptor = -1;
    copy.pid = CopyProcess(ForkSibling, descriptor);
    if (copy.pid == 0)
    {
        return copy;
    }
    std::string reason = std::strerror(errno);
    if (errno == EAGAIN)
    {
        reason += "; end processes, or raise their limit, as by `ulimit -u`";
    }
    close(copy.connection);
    if (copy.pid == -1)
    {
        throw std::runtime_error("its process cannot be copied: " + reason);
    }
    close(descriptor);
    return copy;
}

/**
 * Wait, as the copy, until Python requests a simulation, and become it.
 *
 * @param copy This copy.
 * @param options Options to update from Python's request.
 */
void
Wait(const ProcessCopy& copy, BridgeOptions& options)
{
    copy.files.Separate(); // the next simulation may write the same files
    const auto request = ForkServer(copy.connection, ForkSibling).Serve();
    request.silent() ? copy.files.DiscardWrites() : copy.files.Rewind();
    const auto given = BridgeOptions::FromEnvironment();
    options.endpoint = given.endpoint;
    options.token = given.token;
    options.curveServerKey = given.curveServerKey;
    options.lifeline = given.lifeline;
    ArmLifeline(options.lifeline.value());
}

} // namespace

defiance::v1::Resumed
TakeSnapshot(const std::string& address, BridgeOptions& options, std::unique_ptr<StepLink>& link)
{
    defiance::v1::Resumed resumed;
    std::optional<ProcessCopy> copy;
    link->Suspend();
    try
    {
        copy = MakeCopy(address);
    }
    catch (const std::exception& error)
    {
        resumed.set_refusal(error.what());
    }
    if (copy && copy->pid == 0)
    {
        Detach(*link);
        Wait(*copy, options);
        link = StepLink::Create(options);
        link->Connect();
    }
    else
    {
        link->Resume();
    }
    resumed.set_token(options.token);
    return resumed;
}

} // namespace ns3
