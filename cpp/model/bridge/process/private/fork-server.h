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
 * @brief Turns Python's requests into simulations, each a fork of this process.
 */
class ForkServer
{
  public:
    /**
     * Run a fork server if the environment variable DEFIANCE_FORK_SERVER is set. The server itself
     * does not return, but ends when Python is gone. Before the first fork, a process does its
     * one-time work: loading, registration, WarmUp().
     *
     * @param builds The scenario's part of the warm-up.
     * @return in a forked simulation: the arguments of the program, which replace those of main();
     * nothing: this process is not a fork server
     */
    static std::optional<std::vector<std::string>> ServeIfAsked(
        const std::vector<std::function<void()>>& builds);

    /** @return whether this process was started as a fork server, and does not serve yet */
    static bool IsAskedFor();

    /**
     * Forks this process: returns fork()'s result, and in the original a pidfd of the new process.
     */
    using Fork = pid_t (*)(int& descriptor);

    /**
     * @param socket Connection to Python.
     * @param fork Forks this process.
     */
    ForkServer(int socket, Fork fork)
        : m_socket(socket),
          m_fork(fork)
    {
    }

    /**
     * Serve requests. The server itself does not return, but ends when Python is gone, without
     * flushing its buffers: their content belongs to the process that it was forked from.
     *
     * @return in a simulation: the request. Descriptors and environment are in place.
     */
    defiance::v1::ForkRequest Serve();

  private:
    /** Report to be ready for requests. */
    void SendReady() const;

    /** Wait for a request, or the end of a simulation. */
    void Wait() const;

    /** Report ended simulations to Python. */
    void Reap() const;

    /** A request, and its descriptors. */
    struct Request
    {
        defiance::v1::ForkRequest message; //!< Arguments and environment
        std::vector<int> descriptors;      //!< Lifeline, output, and both ends of a local link
    };

    /**
     * @return the next request, if one has come
     */
    std::optional<Request> ReadRequest() const;

    /**
     * @param request The request.
     * @return whether this process is the simulation
     */
    bool Answer(const Request& request) const;

    /**
     * Turn this process into the requested simulation.
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
