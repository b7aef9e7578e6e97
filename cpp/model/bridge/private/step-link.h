// SPDX-License-Identifier: GPL-2.0-only

#ifndef STEP_LINK_H
#define STEP_LINK_H

#include "bridge-options.h"
#include "defiance/v1/environment.pb.h"

#include <zmq.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * @brief What ends the conversation with Python before its time.
 */
class BridgeFault : public std::runtime_error
{
  public:
    /**
     * @param message What happened.
     * @param code What Python is told; none: it cannot or need not be told.
     */
    explicit BridgeFault(
        const std::string& message,
        defiance::v1::Failure::Code code = defiance::v1::Failure::CODE_UNSPECIFIED);

    const defiance::v1::Failure::Code code; //!< What Python is told
};

/**
 * @brief The ZeroMQ connection to Python: one frame a message.
 *
 * Every method throws BridgeFault when it cannot do what it is for.
 */
class StepLink
{
  public:
    /**
     * @param options Endpoint, token, key and time limit.
     */
    explicit StepLink(const BridgeOptions& options);
    ~StepLink();

    StepLink(const StepLink&) = delete;
    StepLink& operator=(const StepLink&) = delete;

    /** Connect, and wait until the other side has answered. */
    void Connect();

    /**
     * @param message Message to send; at most what protobuf can hold, 2 GiB.
     */
    void Send(const defiance::v1::SimulationMessage& message);

    /**
     * Send a Failure.
     *
     * @param code What kind it is.
     * @param text What happened.
     */
    void SendFailure(defiance::v1::Failure::Code code, const std::string& text);

    /**
     * Wait for the next message.
     *
     * @param [out] message What has been read.
     */
    void Receive(defiance::v1::PythonMessage& message);

    /** Close the connection once what has been sent is out, within two seconds. */
    void Close();

  private:
    /** Set the options of the socket. */
    void Configure();

    /** Encrypt the connection with a key pair of its own. */
    void ConfigureCurve();

    /** Have ZeroMQ report what happens to the connection. */
    void StartMonitor();

    /**
     * @param timeout Time to wait for an event.
     * @return the next event of the connection, if one came
     */
    std::optional<int> ReadEvent(std::chrono::milliseconds timeout);

    /**
     * @param frame Where to put the next frame.
     * @param flags Whether to wait for it.
     * @return whether there was one
     */
    bool ReceiveFrame(zmq::message_t& frame, zmq::recv_flags flags);

    /**
     * Wait for the next frame or the end of the connection.
     *
     * @param frame Where to put the frame.
     */
    void AwaitFrame(zmq::message_t& frame);

    BridgeOptions m_options;  //!< Endpoint, token, key and time limit
    zmq::context_t m_context; //!< Owner of the I/O thread
    zmq::socket_t m_socket;   //!< DEALER
    zmq::socket_t m_monitor;  //!< Events of the connection
    std::string m_buffer;     //!< The message being sent
};

} // namespace ns3

#endif /* STEP_LINK_H */
