// SPDX-License-Identifier: GPL-2.0-only

#include "private/step-link.h"

#include <zmq.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>

namespace ns3
{

namespace
{

/** Endpoint of the monitor of a context's only socket. */
constexpr const char* MONITOR_ENDPOINT = "inproc://monitor";

/** Longest time for sending remaining messages of a closed connection. */
constexpr int LINGER_MS = 2000;

/** Time before the next attempt to connect. */
constexpr int RECONNECT_MS = 10;

/** The monitored events. */
constexpr int MONITORED_EVENTS =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED;

/**
 * Repeat a function call while a signal interrupts it.
 *
 * @param function May throw zmq::error_t.
 * @return the function's result
 */
template <typename F>
auto
Uninterrupted(F function)
{
    while (true)
    {
        try
        {
            return function();
        }
        catch (const zmq::error_t& error)
        {
            if (error.num() != EINTR)
            {
                throw;
            }
        }
    }
}

/**
 * @brief The ZeroMQ connection to Python on any machine, optionally encrypted: one frame per
 * message.
 */
class ZmqStepLink : public StepLink
{
  public:
    /**
     * @param options Endpoint, token, key and time limit.
     */
    explicit ZmqStepLink(const BridgeOptions& options)
        : StepLink(options)
    {
    }

    ~ZmqStepLink() override
    {
        Close();
    }

    void Connect() override
    {
        bool refused = false;
        try
        {
            Configure();
            if (m_options.lifeline)
            {
                // The process that started this process listens already, and watches its end. So
                // this process neither waits for the handshake nor watches the connection.
                m_socket.connect(m_options.endpoint);
                return;
            }
            StartMonitor();
            m_socket.connect(m_options.endpoint);
            // Short waits, none of which counts for more: time in which this process is stopped
            // does not count.
            using Seconds = std::chrono::duration<double>;
            constexpr std::chrono::milliseconds SLICE{20};
            Seconds left(m_options.connectTimeout);
            while (left.count() > 0)
            {
                const auto begin = std::chrono::steady_clock::now();
                const auto event = ReadEvent(SLICE);
                left -= std::min<Seconds>(std::chrono::steady_clock::now() - begin, SLICE);
                if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
                {
                    return;
                }
                refused = refused || (event && event != ZMQ_EVENT_DISCONNECTED);
            }
        }
        catch (const zmq::error_t& error)
        {
            throw BridgeFault("cannot connect to '" + m_options.endpoint + "': " + error.what());
        }
        throw BridgeFault("nobody answered at '" + m_options.endpoint + "' within " +
                          FormatText(m_options.connectTimeout) + " s" +
                          (refused ? "; the handshake failed: do the keys match?" : ""));
    }

    void Close() override
    {
        m_monitor.close();
        m_socket.close();
        m_context.close();
    }

    void Suspend() override
    {
        Close();
    }

    void Resume() override
    {
        m_context = zmq::context_t();
        Connect();
    }

  private:
    void SendBytes(const std::string& bytes) override
    {
        try
        {
            Uninterrupted([&] { return m_socket.send(zmq::buffer(bytes)); });
        }
        catch (const zmq::error_t& error)
        {
            throw BridgeFault(std::string("cannot send to Python: ") + error.what());
        }
    }

    std::string_view ReceiveBytes() override
    {
        try
        {
            AwaitFrame(m_frame);
        }
        catch (const zmq::error_t& error)
        {
            throw BridgeFault(std::string("cannot receive from Python: ") + error.what());
        }
        if (m_frame.more())
        {
            throw BridgeFault("Python sent " + std::to_string(m_frame.size()) +
                                  " bytes that are not a message of the protocol",
                              defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
        }
        return {m_frame.data<char>(), m_frame.size()};
    }

    /** Set the options of the socket. */
    void Configure()
    {
        m_socket = zmq::socket_t(m_context, zmq::socket_type::dealer);
        m_socket.set(zmq::sockopt::linger, LINGER_MS);
        m_socket.set(zmq::sockopt::reconnect_ivl, RECONNECT_MS);
        m_socket.set(zmq::sockopt::sndhwm, 0);
        m_socket.set(zmq::sockopt::rcvhwm, 0);
        // A machine that vanishes from the network does not close connections.
        m_socket.set(zmq::sockopt::tcp_keepalive, 1);
        m_socket.set(zmq::sockopt::tcp_keepalive_idle, 30);
        m_socket.set(zmq::sockopt::tcp_keepalive_intvl, 10);
        if (!m_options.token.empty())
        {
            m_socket.set(zmq::sockopt::routing_id, m_options.token);
        }
        if (!m_options.curveServerKey.empty())
        {
            ConfigureCurve();
        }
    }

    /** Encrypt the connection with a new key pair. */
    void ConfigureCurve()
    {
        std::array<char, 41> publicKey{};
        std::array<char, 41> secretKey{};
        if (zmq_curve_keypair(publicKey.data(), secretKey.data()) != 0)
        {
            throw BridgeFault("this ZeroMQ cannot encrypt, but DEFIANCE_CURVE_SERVER_KEY is set");
        }
        if (m_options.curveServerKey.size() != 40)
        {
            throw BridgeFault("DEFIANCE_CURVE_SERVER_KEY has " +
                              std::to_string(m_options.curveServerKey.size()) +
                              " characters, but a Z85 key has 40");
        }
        m_socket.set(zmq::sockopt::curve_serverkey, m_options.curveServerKey);
        m_socket.set(zmq::sockopt::curve_publickey, publicKey.data());
        m_socket.set(zmq::sockopt::curve_secretkey, secretKey.data());
    }

    /** Monitor the events of the connection. */
    void StartMonitor()
    {
        if (zmq_socket_monitor(m_socket.handle(), MONITOR_ENDPOINT, MONITORED_EVENTS) != 0)
        {
            throw zmq::error_t();
        }
        m_monitor = zmq::socket_t(m_context, zmq::socket_type::pair);
        m_monitor.set(zmq::sockopt::linger, 0);
        m_monitor.connect(MONITOR_ENDPOINT);
    }

    /**
     * @param timeout Time to wait for an event.
     * @return the next event of the connection, if one came
     */
    std::optional<int> ReadEvent(std::chrono::milliseconds timeout)
    {
        zmq::pollitem_t item{m_monitor.handle(), 0, ZMQ_POLLIN, 0};
        if (Uninterrupted([&] { return zmq::poll(&item, 1, timeout); }) == 0)
        {
            return std::nullopt;
        }
        zmq::message_t event;
        zmq::message_t address;
        if (!Uninterrupted([&] { return m_monitor.recv(event); }) ||
            !Uninterrupted([&] { return m_monitor.recv(address); }))
        {
            return std::nullopt;
        }
        uint16_t number = 0;
        std::memcpy(&number, event.data(), sizeof(number));
        return number;
    }

    /**
     * @param frame Set to the next frame.
     * @param flags Whether to wait for a frame.
     * @return whether there was one
     */
    bool ReceiveFrame(zmq::message_t& frame, zmq::recv_flags flags)
    {
        return Uninterrupted([&] { return m_socket.recv(frame, flags); }).has_value();
    }

    /**
     * Wait for the next frame or the end of the connection.
     *
     * @param frame Set to the frame.
     */
    void AwaitFrame(zmq::message_t& frame)
    {
        // With a lifeline, Python's end ends this process without a timeout.
        if (m_options.lifeline)
        {
            ReceiveFrame(frame, zmq::recv_flags::none);
            return;
        }
        std::array<zmq::pollitem_t, 2> items{
            {{m_socket.handle(), 0, ZMQ_POLLIN, 0}, {m_monitor.handle(), 0, ZMQ_POLLIN, 0}}};
        while (!ReceiveFrame(frame, zmq::recv_flags::dontwait))
        {
            Uninterrupted([&] { return zmq::poll(items.data(), items.size()); });
            const bool ended = (items[1].revents & ZMQ_POLLIN) != 0 &&
                               ReadEvent(std::chrono::milliseconds(0)) == ZMQ_EVENT_DISCONNECTED;
            // Messages from before the end of the connection must still be read.
            if (ended && !ReceiveFrame(frame, zmq::recv_flags::dontwait))
            {
                throw BridgeFault("the Python process at '" + m_options.endpoint +
                                  "' has closed the connection");
            }
            if (ended)
            {
                return;
            }
        }
    }

    zmq::context_t m_context; //!< Context with the I/O thread
    zmq::socket_t m_socket;   //!< DEALER socket
    zmq::socket_t m_monitor;  //!< Events of the connection
    zmq::message_t m_frame;   //!< The last frame received
};

} // namespace

std::unique_ptr<StepLink>
StepLink::MakeZmq(const BridgeOptions& options)
{
    return std::make_unique<ZmqStepLink>(options);
}

} // namespace ns3
