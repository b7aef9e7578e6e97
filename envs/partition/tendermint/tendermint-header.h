// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_HEADER_H
#define TENDERMINT_HEADER_H

#include "tendermint-types.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @brief A message of Tendermint as it is in a packet; numbers are in network byte order.
 *
 * | bytes | |
 * |---|---|
 * | 4 | "TMBF" |
 * | 1 | type: 1 PROPOSAL, 2 VOTE, 3 GOSSIP, 4 DECISIONS |
 * | 1 | 0 |
 * | 2 each | number of proposals, votes, decisions |
 * | 4 each | sender, receiver, height |
 * | 12 each | proposals: round, value, valid round |
 * | 20 each | votes: type, round, value, signers (8 bytes) |
 * | 16 each | decisions: round, value, signers (8 bytes) |
 */
class TendermintHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TendermintHeader() = default;

    /**
     * @param message What it says.
     */
    explicit TendermintHeader(TendermintMessage message);

    /**
     * @return what it says
     */
    const TendermintMessage& GetMessage() const;

    /**
     * @return whether what was read last is a message of Tendermint
     */
    bool IsValid() const;

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    /**
     * Read what is behind the fixed part.
     *
     * @param start Where it begins.
     */
    void ReadLists(Buffer::Iterator start);

    TendermintMessage m_message; //!< What it says
    bool m_valid{true};          //!< Whether what was read last is a message of Tendermint
};

} // namespace ns3

#endif // TENDERMINT_HEADER_H
