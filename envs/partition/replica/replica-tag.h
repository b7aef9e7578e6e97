// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_TAG_H
#define REPLICA_TAG_H

#include "ns3/tag.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @brief Identifies the message in a packet, its sender and its receiver; it takes no bytes.
 */
class ReplicaTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReplicaTag() = default;

    /**
     * @param from Number of the sending replica.
     * @param to Number of the receiving replica.
     * @param number Number among the sender's messages, from 1 on.
     */
    ReplicaTag(uint32_t from, uint32_t to, uint64_t number)
        : m_from(from),
          m_to(to),
          m_number(number)
    {
    }

    /// @return number of the sending replica
    uint32_t GetFrom() const
    {
        return m_from;
    }

    /// @return number of the receiving replica
    uint32_t GetTo() const
    {
        return m_to;
    }

    /// @return number among the sender's messages
    uint64_t GetNumber() const
    {
        return m_number;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(m_from) + sizeof(m_to) + sizeof(m_number);
    }

    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;

    void Print(std::ostream& os) const override
    {
        os << "message " << m_number << " of replica " << m_from << " to replica " << m_to;
    }

  private:
    uint32_t m_from{0};   //!< Number of the sender
    uint32_t m_to{0};     //!< Number of the receiver
    uint64_t m_number{0}; //!< Number among the sender's messages
};

} // namespace ns3

#endif // REPLICA_TAG_H
