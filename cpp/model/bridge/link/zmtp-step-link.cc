// SPDX-License-Identifier: GPL-2.0-only

#include "private/byte-stream.h"
#include "private/step-link.h"
#include "private/unix-socket.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

namespace ns3
{

namespace
{

/** The prefix of endpoints of this kind. */
constexpr std::string_view SCHEME = "ipc://";

/** Time before the next attempt to connect. */
constexpr std::chrono::milliseconds RETRY{10};

/** Length of a greeting, in bytes. */
constexpr std::size_t GREETING = 64;

/** Position of the major version in a greeting. */
constexpr std::size_t VERSION = 10;

/** Position of the mechanism in a greeting, padded with zeros to 20 bytes. */
constexpr std::size_t MECHANISM = 12;

/** The mechanism without encryption and password. */
constexpr std::string_view NO_SECURITY{"NULL\0", 5};

/** First byte of a frame. */
enum FrameFlag : uint8_t
{
    MORE = 1,   //!< A further frame belongs to the message
    LONG = 2,   //!< The length takes eight bytes
    COMMAND = 4 //!< The frame is not part of a message
};

/**
 * @tparam T Type of the number.
 * @param number A number.
 * @return the bytes, most significant first
 */
template <typename T>
std::string
BigEndian(T number)
{
    std::string bytes(sizeof(T), '\0');
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        bytes[sizeof(T) - 1 - i] = static_cast<char>(number >> (8 * i));
    }
    return bytes;
}

/** @return the greeting that opens a connection, in both directions */
std::string
MakeGreeting()
{
    std::string greeting(GREETING, '\0');
    greeting.front() = '\xff';
    greeting[VERSION - 1] = '\x7f';
    greeting[VERSION] = 3;
    NO_SECURITY.copy(&greeting[MECHANISM], NO_SECURITY.size());
    return greeting;
}

/**
 * @param name Name of a command or of a property.
 * @return the name in the encoding of commands
 */
std::string
WithLength(std::string_view name)
{
    return static_cast<char>(name.size()) + std::string(name);
}

/**
 * @param name Name of a property.
 * @param value Value of the property.
 * @return the property in the encoding of READY
 */
std::string
MakeProperty(std::string_view name, std::string_view value)
{
    return WithLength(name) + BigEndian(static_cast<uint32_t>(value.size())) + std::string(value);
}

/**
 * Throw unless a greeting is supported.
 *
 * @param greeting The greeting of the other side.
 */
void
CheckGreeting(std::string_view greeting)
{
    if (greeting.front() != '\xff' || greeting[VERSION] < 3)
    {
        throw BridgeFault("it does not speak ZMTP 3");
    }
    if (greeting.substr(MECHANISM, NO_SECURITY.size()) != NO_SECURITY)
    {
        throw BridgeFault("it wants an encrypted connection");
    }
}

/**
 * Limit the waiting time of reads from a socket.
 *
 * @param socket The socket.
 * @param limit The limit; zero: none.
 */
void
SetPatience(int socket, std::chrono::microseconds limit)
{
    const timeval time{limit.count() / 1'000'000, limit.count() % 1'000'000};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}

/**
 * @brief The ZeroMQ connection to Python on this machine, without ZeroMQ's threads.
 *
 * It is a DEALER that speaks ZMTP 3.0 (https://rfc.zeromq.org/spec/23) without encryption over a
 * Unix socket, one frame per message. One thread is enough, because messages alternate: the
 * simulation sends nothing while it computes. So an exchange wakes two fewer threads, and the
 * process can be copied at any time.
 */
class ZmtpStepLink : public StepLink
{
  public:
    /**
     * @param options Endpoint, token and time limit.
     */
    explicit ZmtpStepLink(const BridgeOptions& options)
        : StepLink(options),
          m_stream(options.spinMicroseconds)
    {
    }

    void Connect() override
    {
        using std::chrono::microseconds;
        const auto patience = std::chrono::duration<double>(m_options.connectTimeout);
        const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
        const int socket = OpenSocket(deadline);
        m_stream.Open(socket, socket);
        if (!m_options.lifeline) // whose end is the end of a Python that started this process
        {
            const auto left = std::chrono::ceil<microseconds>(deadline - Clock::now());
            SetPatience(socket, std::max(left, microseconds(1)));
        }
        try
        {
            ShakeHands();
        }
        catch (const BridgeFault& fault)
        {
            throw BridgeFault("the handshake with '" + m_options.endpoint +
                              "' failed: " + fault.what() + "; do the keys match?");
        }
        SetPatience(socket, microseconds(0));
    }

    void Close() override
    {
        m_stream.Close();
    }

  private:
    using Clock = std::chrono::steady_clock; //!< Clock of the time limit

    /** Size of one read. */
    struct Frame
    {
        uint8_t flags;         //!< Flags; see FrameFlag
        std::string_view body; //!< Body, valid until the next frame is read
    };

    void SendBytes(const std::string& bytes) override
    {
        WriteFrame(0, bytes);
    }

    std::string_view ReceiveBytes() override
    {
        while (true)
        {
            const auto frame = ReadFrame();
            if (frame.flags & MORE)
            {
                throw BridgeFault("Python sent " + std::to_string(frame.body.size()) +
                                      " bytes that are not a message of the protocol",
                                  defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
            }
            if (!(frame.flags & COMMAND))
            {
                return frame.body;
            }
        }
    }

    /**
     * Connect as soon as Python listens.
     *
     * @param deadline End of the attempts.
     * @return the socket
     */
    int OpenSocket(Clock::time_point deadline) const
    {
        while (true)
        {
            const int socket =
                ConnectToUnixSocket(m_options.endpoint.substr(SCHEME.size()), SOCK_STREAM);
            if (socket != -1)
            {
                return socket;
            }
            if (errno != ENOENT && errno != ECONNREFUSED)
            {
                throw BridgeFault("cannot connect to '" + m_options.endpoint +
                                  "': " + std::strerror(errno));
            }
            if (Clock::now() >= deadline)
            {
                throw BridgeFault("nobody answered at '" + m_options.endpoint + "' within " +
                                  FormatText(m_options.connectTimeout) + " s");
            }
            std::this_thread::sleep_for(RETRY);
        }
    }

    /** Negotiate the protocol with the other side, and send this side's identity. */
    void ShakeHands()
    {
        m_stream.Write(MakeGreeting(), "");
        WriteFrame(COMMAND,
                   WithLength("READY") + MakeProperty("Socket-Type", "DEALER") +
                       MakeProperty("Identity", m_options.token));
        CheckGreeting(m_stream.Read(GREETING));
        const auto answer = ReadFrame();
        if (!(answer.flags & COMMAND) || !answer.body.starts_with(WithLength("READY")))
        {
            throw BridgeFault("it did not send READY");
        }
    }

    /**
     * @param flags See FrameFlag.
     * @param body The bytes to send.
     */
    void WriteFrame(uint8_t flags, std::string_view body)
    {
        const bool isLong = body.size() > std::numeric_limits<uint8_t>::max();
        std::string head(1, static_cast<char>(flags | (isLong ? LONG : 0)));
        head += isLong ? BigEndian(static_cast<uint64_t>(body.size()))
                       : std::string(1, static_cast<char>(body.size()));
        m_stream.Write(head, body);
    }

    /** @return the next frame */
    Frame ReadFrame()
    {
        const auto head = m_stream.Read(2);
        const auto flags = static_cast<uint8_t>(head[0]);
        uint64_t length = static_cast<uint8_t>(head[1]);
        if (flags & LONG)
        {
            for (const char byte : m_stream.Read(7))
            {
                length = length << 8 | static_cast<uint8_t>(byte);
            }
        }
        return {flags, m_stream.Read(CheckLength(length))};
    }

    ByteStream m_stream; //!< The socket
};

} // namespace

std::unique_ptr<StepLink>
StepLink::MakeZmtp(const BridgeOptions& options)
{
    return options.endpoint.starts_with(SCHEME) && options.curveServerKey.empty()
               ? std::make_unique<ZmtpStepLink>(options)
               : nullptr;
}

} // namespace ns3
