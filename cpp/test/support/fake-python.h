// SPDX-License-Identifier: GPL-2.0-only

#ifndef FAKE_PYTHON_H
#define FAKE_PYTHON_H

#include "defiance/v1/environment.pb.h"
#include "temporary-directory.h"

#include "ns3/opengym-data-container.h"

#include <sys/types.h>
#include <zmq.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

/**
 * @brief The Python side of one conversation, which sends and receives messages of the protocol.
 */
class FakePython
{
  public:
    /**
     * Choose an endpoint. It is bound by the first Receive(), after the simulation has been forked:
     * a process with threads should not fork.
     *
     * @param encrypted Whether to accept encrypted connections only.
     */
    explicit FakePython(bool encrypted = false);
    ~FakePython();

    /** @return the endpoint */
    const std::string& GetEndpoint() const;

    /** @return the public key when connections are encrypted */
    const std::string& GetPublicKey() const;

    /** @return the routing id of the last message's sender */
    const std::string& GetPeer() const;

    /** @return the next message, or an empty one after ten seconds */
    defiance::v1::SimulationMessage Receive();

    /** @return whether another message has arrived */
    bool HasMessage();

    /** @param message Message to send. */
    void Send(const defiance::v1::PythonMessage& message);

    /** @param bytes Bytes to send in place of a message. */
    void SendBytes(const std::string& bytes);

    /**
     * Send COMMAND_STEP.
     *
     * @param sequence Number of the answered request.
     * @param actions Actions of agents that decide together, sent as one stack; none: no stack.
     */
    void Step(uint64_t sequence, const std::vector<ns3::Ptr<ns3::OpenGymDataContainer>>& actions);

    /**
     * Send a command without actions.
     *
     * @param sequence Number of the answered request.
     * @param command The command.
     */
    void Command(uint64_t sequence, defiance::v1::Command command);

    /** Close the socket and end its threads. */
    void Close();

  private:
    /** Bind the socket, unless it is bound. */
    void Open();

    TemporaryDirectory m_directory; //!< Directory of the endpoint
    std::string m_endpoint;         //!< Address of the socket
    std::string m_peer;             //!< Routing id of the last sender
    std::string m_publicKey;        //!< Public key when connections are encrypted
    std::string m_secretKey;        //!< Secret key when connections are encrypted

    zmq::context_t m_context; //!< Owner of the I/O thread
    zmq::socket_t m_socket;   //!< ROUTER
};

/** How a process ended. */
struct ProcessEnd
{
    bool exited{false};                    //!< Whether it called exit
    int status{-1};                        //!< Exit status or signal number
    std::string output;                    //!< Its standard output
    std::string errors;                    //!< Its standard error
    std::chrono::milliseconds duration{0}; //!< Time from start of the wait to its end
};

/**
 * @brief A simulation in a separate process.
 */
class ForkedSimulation
{
  public:
    /**
     * @param simulation Runs in the new process; its result is the exit status.
     * @param environment Environment variables to set there.
     */
    ForkedSimulation(const std::function<int()>& simulation,
                     const std::map<std::string, std::string>& environment);
    ~ForkedSimulation();

    /** @return how it ended; a process that has not ended after ten seconds is killed */
    ProcessEnd Wait();

    /** @return the process id */
    pid_t GetPid() const;

  private:
    pid_t m_pid;                    //!< The process; 0: its end was collected
    TemporaryDirectory m_directory; //!< Directory of its output
};

/**
 * Run a simulation from the command line in a separate process.
 *
 * @param main The program; its result is the exit status.
 * @param arguments The command line without the program's name.
 * @param environment Environment variables to set there.
 * @return how it ended
 */
ProcessEnd RunProgram(const std::function<int(int, char**)>& main,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment = {});

/**
 * @param main A program.
 * @param arguments The command line without the program's name.
 * @return a function that runs it with this command line
 */
std::function<int()> WithArguments(const std::function<int(int, char**)>& main,
                                   const std::vector<std::string>& arguments);

#endif /* FAKE_PYTHON_H */
