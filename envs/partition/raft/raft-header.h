// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_HEADER_H
#define RAFT_HEADER_H

#include "raft-types.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @brief A message of Raft as it is in a packet; numbers are in network byte order.
 *
 * | bytes | |
 * |---|---|
 * | 4 | "RAFT" |
 * | 1 | type: 1 REQUEST_VOTE, 2 VOTE, 3 APPEND_ENTRIES, 4 APPEND_RESULT, 5 INSTALL_SNAPSHOT |
 * | 1 | 1: accepted, else 0 |
 * | 2 | number of entries |
 * | 4 each | sender, receiver, term, index, term of the log, commit index |
 * | 8 | snapshot |
 * | 8 each | entries: term, request |
 */
class RaftHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RaftHeader() = default;

    /**
     * @param message What it says.
     */
    explicit RaftHeader(RaftMessage message);

    /**
     * @return what it says
     */
    const RaftMessage& GetMessage() const;

    /**
     * @return whether what was read last is a message of Raft
     */
    bool IsValid() const;

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    RaftMessage m_message; //!< What it says
    bool m_valid{true};    //!< Whether what was read last is a message of Raft
};

} // namespace ns3

#endif // RAFT_HEADER_H
