// SPDX-License-Identifier: GPL-2.0-only

#ifndef STEP_LINK_H
#define STEP_LINK_H

#include "bridge-fault.h"
#include "bridge-options.h"
#include "defiance/v1/environment.pb.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace ns3
{

/// Longest message that is sent or received: what protobuf can carry.
constexpr std::size_t MAX_MESSAGE_BYTES = std::numeric_limits<int>::max();

/**
 * @brief The connection to Python.
 *
 * Every method throws BridgeFault when it cannot do what it is for.
 */
class StepLink
{
  public:
    /**
     * @param options Endpoint, token, key and time limit.
     * @return the kind of link that the endpoint names, not connected yet
     */
    static std::unique_ptr<StepLink> Create(const BridgeOptions& options);

    virtual ~StepLink();

    StepLink(const StepLink&) = delete;
    StepLink& operator=(const StepLink&) = delete;

    /** Connect; without a lifeline, wait until the other side has answered. */
    virtual void Connect() = 0;

    /**
     * @param message Message to send; at most what protobuf can hold, 2 GiB.
     */
    void Send(const defiance::v1::SimulationMessage& message);

    /**
     * Send a Failure.
     *
     * @param code The kind of the message.
     * @param text The description of the fault.
     */
    void SendFailure(defiance::v1::Failure::Code code, const std::string& text);

    /**
     * Wait for the next message.
     *
     * @param [out] message What has been read.
     */
    void Receive(defiance::v1::PythonMessage& message);

    /** Close the connection once what has been sent is out, within two seconds. */
    virtual void Close() = 0;

    /** Do without threads until Resume(), so that the process can be copied. Nothing may be under
     * way. */
    virtual void Suspend();

    /** Go on after Suspend(). */
    virtual void Resume();

  protected:
    /**
     * @param options Endpoint, token, key and time limit.
     */
    explicit StepLink(const BridgeOptions& options);

    /**
     * @param bytes A message to send.
     */
    virtual void SendBytes(const std::string& bytes) = 0;

    /**
     * Wait for the next message.
     *
     * @return its bytes, which stay until the next call
     */
    virtual std::string_view ReceiveBytes() = 0;

    /**
     * Throw BridgeFault when a message is longer than it may be.
     *
     * @param length Its length, as Python says.
     * @param limit The largest length.
     * @return the length
     */
    static std::size_t CheckLength(uint64_t length, uint64_t limit = MAX_MESSAGE_BYTES);

    const BridgeOptions m_options; //!< Endpoint, token, key and time limit

  private:
    std::string m_sent; //!< The message being sent
};

} // namespace ns3

#endif /* STEP_LINK_H */
