// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_HEADER_H
#define RAFT_HEADER_H

#include "message-header.h"
#include "raft-types.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @brief The format of Raft's messages in packets; numbers are in network byte order.
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
struct RaftFormat
{
    using Message = RaftMessage;                           //!< The version of the format
    static constexpr const char* NAME = "ns3::RaftHeader"; //!< Name of the TypeId
    static constexpr uint32_t MAGIC = 0x52414654;          //!< "RAFT"

    /**
     * Visit all fields.
     *
     * @param fields Writes or reads them.
     * @param message Message with the fields.
     */
    template <typename Fields, typename M>
    static void Visit(Fields& fields, M& message)
    {
        fields.U8(message.type);
        fields.U8(message.accepted);
        fields.Length(message.entries);
        fields.U32(message.from);
        fields.U32(message.to);
        fields.U32(message.term);
        fields.U32(message.index);
        fields.U32(message.logTerm);
        fields.U32(message.commit);
        fields.U64(message.digest);
        for (auto& [term, request] : message.entries)
        {
            fields.U32(term);
            fields.U32(request);
        }
    }

    /**
     * @param message The message.
     * @return whether it is valid
     */
    static bool IsValid(const RaftMessage& message)
    {
        return message.type >= RaftMessage::REQUEST_VOTE &&
               message.type <= RaftMessage::INSTALL_SNAPSHOT;
    }

    /**
     * @param os Output stream.
     * @param message The message.
     */
    static void Print(std::ostream& os, const RaftMessage& message);
};

/// The header with a message of Raft.
using RaftHeader = MessageHeader<RaftFormat>;

} // namespace ns3

#endif // RAFT_HEADER_H
