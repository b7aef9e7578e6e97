// SPDX-License-Identifier: GPL-2.0-only

// The peer of a bare ping-pong: answers each message with one of fixed size, as a simulation
// answers an action with an observation. It ends with the process that started it.
//
//     echo zmq <endpoint> <bytes>
//     echo pipe <bytes>             from standard input to standard output
//     echo exit                     ends at once: the cost of starting a process

#include <sys/prctl.h>
#include <unistd.h>
#include <zmq.hpp>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

namespace
{

/**
 * @param endpoint Endpoint of Python.
 * @param answer The answer.
 */
void
EchoZmq(const std::string& endpoint, const std::string& answer)
{
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.connect(endpoint);
    socket.send(zmq::buffer(answer), zmq::send_flags::none);
    zmq::message_t message;
    while (socket.recv(message))
    {
        socket.send(zmq::buffer(answer), zmq::send_flags::none);
    }
}

/**
 * @param answer The answer.
 */
void
EchoPipe(const std::string& answer)
{
    std::array<char, 4096> message;
    while (read(STDIN_FILENO, message.data(), message.size()) > 0)
    {
        for (std::size_t sent = 0; sent < answer.size();)
        {
            const auto written = write(STDOUT_FILENO, &answer[sent], answer.size() - sent);
            if (written < 0)
            {
                return;
            }
            sent += written;
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string transport = argc > 1 ? argv[1] : "";
    if (transport == "zmq" && argc == 4)
    {
        EchoZmq(argv[2], std::string(std::stoul(argv[3]), 'x'));
        return EXIT_SUCCESS;
    }
    if (transport == "pipe" && argc == 3)
    {
        EchoPipe(std::string(std::stoul(argv[2]), 'x'));
        return EXIT_SUCCESS;
    }
    return transport == "exit" ? EXIT_SUCCESS : EXIT_FAILURE;
}
