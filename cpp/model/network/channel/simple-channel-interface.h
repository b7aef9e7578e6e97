// SPDX-License-Identifier: GPL-2.0-only

#ifndef SIMPLE_CHANNEL_INTERFACE_H
#define SIMPLE_CHANNEL_INTERFACE_H

#include "channel-interface.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A channel outside of the simulated network: a delay, and optionally jitter and loss.
 *
 * It needs no node, no Internet stack and no bandwidth. Its messages have the size of their
 * serialized form and no header.
 *
 * A connection has one delay for both directions. Connecting two ends with different delays sets
 * the larger one for both; setting the delay of a connected end sets it for both. Messages under
 * way keep their delay.
 *
 * Jitter is drawn for each message that an end sends, and added to the delay. A message may thus
 * overtake an earlier one.
 *
 * A synchronous end delivers its messages before Send() returns, so that the sender can use the
 * receiver's results. It has neither delay nor jitter.
 */
class SimpleChannelInterface : public ChannelInterface
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SimpleChannelInterface()
        : m_lossDraw(CreateObject<UniformRandomVariable>())
    {
    }

    int Send(Ptr<OpenGymDictContainer> data) override;
    void SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes) override;
    ConnectionStatus Connect(Ptr<ChannelInterface> other) override;
    void Disconnect() override;

    Ptr<ChannelInterface> GetPeer() const override
    {
        return m_peer;
    }

    /**
     * @brief Set the delay of the connection, in both directions.
     * @param delay time from sending a message to its arrival
     */
    void SetPropagationDelay(Time delay);

    /**
     * @brief Get the delay of the connection.
     * @return time from sending a message to its arrival
     */
    Time GetPropagationDelay() const
    {
        return m_delay;
    }

    /// DEFIANCE's name of GetPeer(). @return the other end, or null
    Ptr<SimpleChannelInterface> GetCommunicationPartner() const
    {
        return DynamicCast<SimpleChannelInterface>(GetPeer());
    }

    /**
     * @brief Fix the random streams of loss and jitter.
     * @param stream the first stream index to use
     * @return the number of stream indices used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    /**
     * @brief Send a message, if there is a connection.
     * @param message description of the message
     * @param data the content, which belongs to the receiver; null for a transfer
     * @return whether the message was accepted
     */
    bool Dispatch(const ChannelMessage& message, Ptr<OpenGymDictContainer> data);

    /**
     * @brief Draw the travel time of a message.
     * @return delay and jitter
     */
    Time DrawDelay();

    struct Direction; //!< Messages under way from one end to the other

    /**
     * @brief Deliver a message, unless the connection has ended since.
     * @param direction direction of the message
     * @param number number of the message in that direction
     * @param data the content, or null
     */
    static void Arrive(std::shared_ptr<Direction> direction,
                       uint64_t number,
                       Ptr<OpenGymDictContainer> data);

    /// End the connection at both ends, if there is one.
    void EndConnection();

    /// Drop the messages from this end and forget the other end.
    void Detach();

    Time m_delay;                            //!< Delay of the connection
    double m_lossRate;                       //!< Probability that a message is lost
    Ptr<UniformRandomVariable> m_lossDraw;   //!< Draws the loss of each message
    Ptr<RandomVariableStream> m_jitter;      //!< Seconds to add to the delay, or null
    bool m_synchronous;                      //!< Messages arrive before Send() returns
    SimpleChannelInterface* m_peer{nullptr}; //!< Other end; reset before it dies
    std::shared_ptr<Direction> m_outgoing;   //!< Direction from here to the other end
};

} // namespace ns3

#endif /* SIMPLE_CHANNEL_INTERFACE_H */
