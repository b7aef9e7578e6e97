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
 * @brief Carries the description of a message along with its datagram, outside of its bytes.
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
     * @param message its description
     */
    explicit ChannelMessageTag(const ChannelMessage& message);

    /**
     * @brief Describe a received message.
     * @param bytes size of the datagram
     * @return its description
     */
    ChannelMessage Describe(std::size_t bytes) const;

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    Time m_sent;        //!< When it was sent
    std::string m_kind; //!< What its sender calls it
};

} // namespace ns3

#endif /* CHANNEL_MESSAGE_TAG_H */
