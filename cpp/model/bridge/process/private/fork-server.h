// SPDX-License-Identifier: GPL-2.0-only

#ifndef FORK_SERVER_H
#define FORK_SERVER_H

#include "defiance/v1/fork.pb.h"
#include "descriptor-socket.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Turns requests of Python into simulations, each a fork of this process.
 */
class ForkServer
{
  public:
    /**
     * Be a fork server if the environment variable DEFIANCE_FORK_SERVER says so. The server itself
     * does not return, but ends when Python is gone. A process does its single work before the
     * first fork: loading, registration, WarmUp().
     *
     * @param builds The scenario's part of the warm-up.
     * @return in a simulation that was forked: the arguments of the program, which take the place
     *         of those of main(); nothing: this process is no fork server
     */
    static std::optional<std::vector<std::string>> ServeIfAsked(
        const std::vector<std::function<void()>>& builds);

    /** @return whether this process has been started as a fork server, and does not serve yet */
    static bool IsAskedFor();

    /**
     * Forks this process: returns what fork() does, and in the original gives a pidfd of the new
     * process.
     */
    using Fork = pid_t (*)(int& descriptor);

    /**
     * @param socket Connection to Python.
     * @param fork Forks this process.
     */
    ForkServer(int socket, Fork fork);

    /**
     * Serve requests. The server itself does not return, but ends when Python is gone, and writes
     * nothing then: what its buffers hold belongs to the process that it was forked from.
     *
     * @return in a simulation: what was asked for. Descriptors and environment are in place.
     */
    defiance::v1::ForkRequest Serve();

  private:
    /** Say that requests are welcome. */
    void SendReady() const;

    /** Wait for a request, or the end of a simulation. */
    void Wait() const;

    /** Tell Python of the simulations that have ended. */
    void Reap() const;

    /** A request, and the descriptors that came with it. */
    struct Request
    {
        defiance::v1::ForkRequest message; //!< Arguments and environment
        std::vector<int> descriptors; //!< Lifeline, output, and what a local link reads and writes
    };

    /**
     * @return the next request, if one has come
     */
    std::optional<Request> ReadRequest() const;

    /**
     * @param request The request.
     * @return whether this is the simulation
     */
    bool Answer(const Request& request) const;

    /**
     * Make this process the simulation that was asked for.
     *
     * @param request The request.
     */
    void BecomeSimulation(const Request& request) const;

    /**
     * @param message The message for Python; the server ends when it cannot be sent.
     * @param descriptor Descriptor to send along, or -1.
     */
    void Send(const defiance::v1::ForkServerMessage& message, int descriptor = -1) const;

    DescriptorSocket m_socket; //!< Connection to Python
    Fork m_fork;               //!< Forks this process
};

} // namespace ns3

#endif /* FORK_SERVER_H */
