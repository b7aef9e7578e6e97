// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"

#include "opengym-codec.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

namespace
{

constexpr std::chrono::seconds PATIENCE{10}; //!< Timeout of expected events

/**
 * @param name Name of a file.
 * @return its contents
 */
std::string
ReadFile(const std::string& name)
{
    std::ifstream file(name, std::ios::binary);
    std::ostringstream contents;
    contents << file.rdbuf();
    return contents.str();
}

/**
 * @param descriptor Descriptor to redirect to a file.
 * @param name Name of the file.
 */
void
Redirect(int descriptor, const std::string& name)
{
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, descriptor);
    close(file);
}

/** @param status Exit status of this process, which ends immediately. */
[[noreturn]] void
Leave(int status)
{
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(status);
}

} // namespace

FakePython::FakePython(bool encrypted)
    : m_endpoint("ipc://" + m_directory.GetPath("python"))
{
    if (encrypted)
    {
        std::array<char, 41> publicKey{};
        std::array<char, 41> secretKey{};
        zmq_curve_keypair(publicKey.data(), secretKey.data());
        m_publicKey = publicKey.data();
        m_secretKey = secretKey.data();
    }
}

void
FakePython::Open()
{
    if (m_socket)
    {
        return;
    }
    m_socket = zmq::socket_t(m_context, zmq::socket_type::router);
    m_socket.set(zmq::sockopt::linger, 1000);
    m_socket.set(zmq::sockopt::rcvtimeo,
                 static_cast<int>(std::chrono::milliseconds(PATIENCE).count()));
    // A simulation may run several episodes, with a connection each, under one token.
    m_socket.set(zmq::sockopt::router_handover, true);
    if (!m_secretKey.empty())
    {
        m_socket.set(zmq::sockopt::curve_server, true);
        m_socket.set(zmq::sockopt::curve_secretkey, m_secretKey);
    }
    m_socket.bind(m_endpoint);
}

FakePython::~FakePython()
{
    Close();
}

const std::string&
FakePython::GetEndpoint() const
{
    return m_endpoint;
}

const std::string&
FakePython::GetPublicKey() const
{
    return m_publicKey;
}

const std::string&
FakePython::GetPeer() const
{
    return m_peer;
}

defiance::v1::SimulationMessage
FakePython::Receive()
{
    defiance::v1::SimulationMessage message;
    zmq::message_t peer;
    zmq::message_t frame;
    Open();
    if (m_socket.recv(peer) && m_socket.recv(frame) && !frame.more())
    {
        m_peer = peer.to_string();
        if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
        {
            message.Clear();
        }
    }
    return message;
}

bool
FakePython::HasMessage()
{
    zmq::pollitem_t item{m_socket.handle(), 0, ZMQ_POLLIN, 0};
    return zmq::poll(&item, 1, std::chrono::milliseconds(50)) > 0;
}

void
FakePython::SendBytes(const std::string& bytes)
{
    m_socket.send(zmq::buffer(m_peer), zmq::send_flags::sndmore);
    m_socket.send(zmq::buffer(bytes));
}

void
FakePython::Send(const defiance::v1::PythonMessage& message)
{
    SendBytes(message.SerializeAsString());
}

void
FakePython::Step(uint64_t sequence, const std::vector<ns3::Ptr<ns3::OpenGymDataContainer>>& actions)
{
    defiance::v1::PythonMessage message;
    message.mutable_step_reply()->set_sequence(sequence);
    message.mutable_step_reply()->set_command(defiance::v1::COMMAND_STEP);
    std::vector<const ns3::OpenGymDataContainer*> rows;
    for (const auto& action : actions)
    {
        rows.push_back(PeekPointer(action));
    }
    if (!rows.empty())
    {
        ns3::EncodeStack(rows, *message.mutable_step_reply()->add_actions());
    }
    Send(message);
}

void
FakePython::Command(uint64_t sequence, defiance::v1::Command command)
{
    defiance::v1::PythonMessage message;
    message.mutable_step_reply()->set_sequence(sequence);
    message.mutable_step_reply()->set_command(command);
    Send(message);
}

void
FakePython::Close()
{
    m_socket.close();
    m_context.close();
}

ForkedSimulation::ForkedSimulation(const std::function<int()>& simulation,
                                   const std::map<std::string, std::string>& environment)
{
    std::cout.flush();
    std::fflush(nullptr);
    m_pid = fork();
    if (m_pid == 0)
    {
        Redirect(STDOUT_FILENO, m_directory.GetPath("output"));
        Redirect(STDERR_FILENO, m_directory.GetPath("errors"));
        for (const auto& [name, value] : environment)
        {
            setenv(name.c_str(), value.c_str(), 1);
        }
        // The simulation does not use the test runner's own objects.
        on_exit([](int status, void*) { Leave(status); }, nullptr);
        std::exit(simulation());
    }
}

ForkedSimulation::~ForkedSimulation()
{
    if (m_pid > 0)
    {
        kill(m_pid, SIGKILL);
        Wait();
    }
}

ProcessEnd
ForkedSimulation::Wait()
{
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    while (waitpid(m_pid, &status, WNOHANG) == 0)
    {
        if (std::chrono::steady_clock::now() - start > PATIENCE)
        {
            kill(m_pid, SIGKILL);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    m_pid = 0;
    ProcessEnd end;
    end.exited = WIFEXITED(status);
    end.status = end.exited ? WEXITSTATUS(status) : WTERMSIG(status);
    end.output = ReadFile(m_directory.GetPath("output"));
    end.errors = ReadFile(m_directory.GetPath("errors"));
    end.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    return end;
}

pid_t
ForkedSimulation::GetPid() const
{
    return m_pid;
}

std::function<int()>
WithArguments(const std::function<int(int, char**)>& main,
              const std::vector<std::string>& arguments)
{
    return [main, arguments] {
        std::vector<std::string> texts{"program"};
        texts.insert(texts.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (auto& text : texts)
        {
            pointers.push_back(text.data());
        }
        pointers.push_back(nullptr);
        return main(static_cast<int>(texts.size()), pointers.data());
    };
}

ProcessEnd
RunProgram(const std::function<int(int, char**)>& main,
           const std::vector<std::string>& arguments,
           const std::map<std::string, std::string>& environment)
{
    return ForkedSimulation(WithArguments(main, arguments), environment).Wait();
}
