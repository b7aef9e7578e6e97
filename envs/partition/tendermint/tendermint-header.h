// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_HEADER_H
#define TENDERMINT_HEADER_H

#include "message-header.h"
#include "tendermint-types.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @brief The format of Tendermint's messages in packets; numbers are in network byte order.
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
struct TendermintFormat
{
    using Message = TendermintMessage;                           //!< The version of the format
    static constexpr const char* NAME = "ns3::TendermintHeader"; //!< Name of the TypeId
    static constexpr uint32_t MAGIC = 0x544d4246;                //!< "TMBF"

    /**
     * Visit all fields.
     *
     * @param fields Writes or reads them.
     * @param message Message with the fields.
     */
    template <typename Fields, typename M>
    static void Visit(Fields& fields, M& message);

    /**
     * @param message The message.
     * @return whether it is valid
     */
    static bool IsValid(const TendermintMessage& message);

    /**
     * @param os Output stream.
     * @param message The message.
     */
    static void Print(std::ostream& os, const TendermintMessage& message);
};

/// The header with a message of Tendermint.
using TendermintHeader = MessageHeader<TendermintFormat>;

template <typename Fields, typename M>
void
TendermintFormat::Visit(Fields& fields, M& message)
{
    uint8_t unused = 0;
    fields.U8(message.type);
    fields.U8(unused);
    fields.Length(message.proposals);
    fields.Length(message.votes);
    fields.Length(message.decisions);
    fields.U32(message.from);
    fields.U32(message.to);
    fields.U32(message.height);
    for (auto& [round, value, validRound] : message.proposals)
    {
        fields.U32(round);
        fields.U32(value);
        fields.U32(validRound);
    }
    for (auto& [type, round, value, signers] : message.votes)
    {
        fields.U32(type);
        fields.U32(round);
        fields.U32(value);
        fields.U64(signers);
    }
    for (auto& [round, value, signers] : message.decisions)
    {
        fields.U32(round);
        fields.U32(value);
        fields.U64(signers);
    }
}

} // namespace ns3

#endif // TENDERMINT_HEADER_H
