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

/// Longest message: protobuf's limit.
constexpr std::size_t MAX_MESSAGE_BYTES = std::numeric_limits<int>::max();

/**
 * @brief The connection to Python.
 *
 * Every method throws BridgeFault when it fails.
 */
class StepLink
{
  public:
    /**
     * @param options Endpoint, token, key and time limit.
     * @return a link of the endpoint's kind, not connected yet
     */
    static std::unique_ptr<StepLink> Create(const BridgeOptions& options);

    virtual ~StepLink();

    StepLink(const StepLink&) = delete;
    StepLink& operator=(const StepLink&) = delete;

    /** Connect; without a lifeline, wait until the other side has answered. */
    virtual void Connect() = 0;

    /**
     * @param message Message to send; at most 2 GiB, protobuf's limit.
     */
    void Send(const defiance::v1::SimulationMessage& message);

    /**
     * Send a Failure.
     *
     * @param code Kind of the fault.
     * @param text Description of the fault.
     */
    void SendFailure(defiance::v1::Failure::Code code, const std::string& text);

    /**
     * Wait for the next message.
     *
     * @param [out] message The received message.
     */
    void Receive(defiance::v1::PythonMessage& message);

    /** Close the connection after all messages are sent, within two seconds. */
    virtual void Close() = 0;

    /** Stop all threads until Resume(), so that the process can be copied. No message may be under
     * way. */
    virtual void Suspend()
    {
    }

    /** Continue after Suspend(). */
    virtual void Resume()
    {
    }

  protected:
    /**
     * @param options Endpoint, token, key and time limit.
     */
    explicit StepLink(const BridgeOptions& options)
        : m_options(options)
    {
    }

    /**
     * @param bytes A message to send.
     */
    virtual void SendBytes(const std::string& bytes) = 0;

    /**
     * Wait for the next message.
     *
     * @return the message, valid until the next call
     */
    virtual std::string_view ReceiveBytes() = 0;

    /**
     * Throw BridgeFault when a message is too long.
     *
     * @param length Length, as reported by Python.
     * @param limit The largest length.
     * @return the length
     */
    static std::size_t CheckLength(uint64_t length, uint64_t limit = MAX_MESSAGE_BYTES);

    const BridgeOptions m_options; //!< Endpoint, token, key and time limit

  private:
    /**
     * @param options Endpoint, token, key and time limit.
     * @return a link through inherited pipes and shared memory; null: the endpoint is of another
     * kind
     */
    static std::unique_ptr<StepLink> MakeLocal(const BridgeOptions& options);

    /**
     * @param options Endpoint, token, key and time limit.
     * @return a link with ZeroMQ's protocol, but without its threads; null: the endpoint is not on
     * this machine, or encrypted
     */
    static std::unique_ptr<StepLink> MakeZmtp(const BridgeOptions& options);

    /**
     * @param options Endpoint, token, key and time limit.
     * @return a link through ZeroMQ
     */
    static std::unique_ptr<StepLink> MakeZmq(const BridgeOptions& options);

    std::string m_sent; //!< The message being sent
};

} // namespace ns3

#endif /* STEP_LINK_H */
