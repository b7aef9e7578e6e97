// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_MESSAGE_TAG_H
#define CHANNEL_MESSAGE_TAG_H

#include "../channel-message.h"

#include "ns3/tag.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The part of a transfer in a datagram.
 */
struct TransferPart
{
    uint32_t index{0}; //!< Index of the part, from 0
    uint32_t count{0}; //!< Number of all parts; 0: the datagram carries a message
};

/**
 * @ingroup defiance
 *
 * @brief Attaches the description of a message to its datagram, outside of its bytes.
 */
class ChannelMessageTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ChannelMessageTag() = default;

    /**
     * @brief Create a tag for a message.
     * @param message description of the message
     * @param part part in the datagram
     */
    explicit ChannelMessageTag(const ChannelMessage& message, TransferPart part = {})
        : m_sent(message.sent),
          m_kind(message.kind),
          m_transfer(message.transfer),
          m_part(part)
    {
    }

    /**
     * @brief Describe a received message.
     * @param bytes size of the datagram
     * @return the description; a transfer's has the size of the datagram
     */
    ChannelMessage Describe(std::size_t bytes) const
    {
        return {m_kind, bytes, bytes, m_sent, Time{}, ChannelDropReason::NONE, m_transfer};
    }

    /**
     * @brief Get the part in the datagram.
     * @return the part
     */
    TransferPart GetPart() const
    {
        return m_part;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 2 * sizeof(uint64_t) + 3 * sizeof(uint32_t) + m_kind.size();
    }

    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;

    void Print(std::ostream& os) const override
    {
        os << m_kind << " sent at " << m_sent.As(Time::S);
    }

  private:
    Time m_sent;            //!< Time of sending
    std::string m_kind;     //!< Kind of message, from the sender
    uint64_t m_transfer{0}; //!< Number of the transfer; 0: a message
    TransferPart m_part;    //!< The part of the message in the datagram
};

} // namespace ns3

#endif /* CHANNEL_MESSAGE_TAG_H */
