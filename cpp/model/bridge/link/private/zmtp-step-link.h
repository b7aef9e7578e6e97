// SPDX-License-Identifier: GPL-2.0-only

#ifndef ZMTP_STEP_LINK_H
#define ZMTP_STEP_LINK_H

#include "byte-stream.h"
#include "step-link.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

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
     * @param options Endpoint and key.
     * @return whether the class supports them: ipc://, without a key
     */
    static bool IsFor(const BridgeOptions& options);

    /**
     * @param options Endpoint, token and time limit.
     */
    explicit ZmtpStepLink(const BridgeOptions& options);
    ~ZmtpStepLink() override;

    void Connect() override;
    void Close() override;

  private:
    using Clock = std::chrono::steady_clock; //!< Clock of the time limit

    /** Size of one read. */
    struct Frame
    {
        uint8_t flags;         //!< Flags; see FrameFlag
        std::string_view body; //!< Body, valid until the next frame is read
    };

    void SendBytes(const std::string& bytes) override;
    std::string_view ReceiveBytes() override;

    /**
     * Connect as soon as Python listens.
     *
     * @param deadline End of the attempts.
     * @return the socket
     */
    int OpenSocket(Clock::time_point deadline) const;

    /** Negotiate the protocol with the other side, and send this side's identity. */
    void ShakeHands();

    /**
     * @param flags See FrameFlag.
     * @param body The bytes to send.
     */
    void WriteFrame(uint8_t flags, std::string_view body);

    /** @return the next frame */
    Frame ReadFrame();

    ByteStream m_stream; //!< The socket
};

} // namespace ns3

#endif /* ZMTP_STEP_LINK_H */
