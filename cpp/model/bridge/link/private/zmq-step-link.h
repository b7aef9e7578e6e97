// SPDX-License-Identifier: GPL-2.0-only

#ifndef ZMQ_STEP_LINK_H
#define ZMQ_STEP_LINK_H

#include "step-link.h"

#include <zmq.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace ns3
{

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
    explicit ZmqStepLink(const BridgeOptions& options);
    ~ZmqStepLink() override;

    void Connect() override;
    void Close() override;
    void Suspend() override;
    void Resume() override;

  private:
    void SendBytes(const std::string& bytes) override;
    std::string_view ReceiveBytes() override;

    /** Set the options of the socket. */
    void Configure();

    /** Encrypt the connection with a new key pair. */
    void ConfigureCurve();

    /** Monitor the events of the connection. */
    void StartMonitor();

    /**
     * @param timeout Time to wait for an event.
     * @return the next event of the connection, if one came
     */
    std::optional<int> ReadEvent(std::chrono::milliseconds timeout);

    /**
     * @param frame Set to the next frame.
     * @param flags Whether to wait for a frame.
     * @return whether there was one
     */
    bool ReceiveFrame(zmq::message_t& frame, zmq::recv_flags flags);

    /**
     * Wait for the next frame or the end of the connection.
     *
     * @param frame Set to the frame.
     */
    void AwaitFrame(zmq::message_t& frame);

    zmq::context_t m_context; //!< Context with the I/O thread
    zmq::socket_t m_socket;   //!< DEALER socket
    zmq::socket_t m_monitor;  //!< Events of the connection
    zmq::message_t m_frame;   //!< The last frame received
};

} // namespace ns3

#endif /* ZMQ_STEP_LINK_H */
