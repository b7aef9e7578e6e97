// SPDX-License-Identifier: GPL-2.0-only

#include "raft-header.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RaftHeader);

namespace
{

constexpr uint32_t RAFT_MAGIC = 0x52414654; // "RAFT"
constexpr uint32_t RAFT_FIXED_SIZE = 40;    // bytes before the entries
constexpr uint32_t RAFT_ENTRY_SIZE = 8;

} // namespace

TypeId
RaftHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RaftHeader")
                            .SetParent<Header>()
                            .SetGroupName("defiance")
                            .AddConstructor<RaftHeader>();
    return tid;
}

RaftHeader::RaftHeader(RaftMessage message)
    : m_message(std::move(message))
{
}

const RaftMessage&
RaftHeader::GetMessage() const
{
    return m_message;
}

bool
RaftHeader::IsValid() const
{
    return m_valid;
}

TypeId
RaftHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RaftHeader::GetSerializedSize() const
{
    return RAFT_FIXED_SIZE + RAFT_ENTRY_SIZE * m_message.entries.size();
}

void
RaftHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(RAFT_MAGIC);
    start.WriteU8(m_message.type);
    start.WriteU8(m_message.accepted);
    start.WriteHtonU16(m_message.entries.size());
    start.WriteHtonU32(m_message.from);
    start.WriteHtonU32(m_message.to);
    start.WriteHtonU32(m_message.term);
    start.WriteHtonU32(m_message.index);
    start.WriteHtonU32(m_message.logTerm);
    start.WriteHtonU32(m_message.commit);
    start.WriteHtonU64(m_message.digest);
    for (const auto& [term, request] : m_message.entries)
    {
        start.WriteHtonU32(term);
        start.WriteHtonU32(request);
    }
}

uint32_t
RaftHeader::Deserialize(Buffer::Iterator start)
{
    m_message = {};
    m_valid = start.GetRemainingSize() >= RAFT_FIXED_SIZE && start.ReadNtohU32() == RAFT_MAGIC;
    if (!m_valid)
    {
        return 0;
    }
    const auto type = start.ReadU8();
    m_message.type = static_cast<RaftMessage::Type>(type);
    m_message.accepted = start.ReadU8();
    const uint32_t entries = start.ReadNtohU16();
    m_message.from = start.ReadNtohU32();
    m_message.to = start.ReadNtohU32();
    m_message.term = start.ReadNtohU32();
    m_message.index = start.ReadNtohU32();
    m_message.logTerm = start.ReadNtohU32();
    m_message.commit = start.ReadNtohU32();
    m_message.digest = start.ReadNtohU64();
    m_valid = type >= RaftMessage::REQUEST_VOTE && type <= RaftMessage::INSTALL_SNAPSHOT &&
              start.GetRemainingSize() >= RAFT_ENTRY_SIZE * entries;
    for (uint32_t i = 0; m_valid && i < entries; i++)
    {
        const auto term = start.ReadNtohU32();
        m_message.entries.push_back({.term = term, .request = start.ReadNtohU32()});
    }
    return m_valid ? GetSerializedSize() : 0;
}

void
RaftHeader::Print(std::ostream& os) const
{
    static const char* const names[] =
        {"?", "RequestVote", "Vote", "AppendEntries", "AppendResult", "InstallSnapshot"};
    os << names[m_message.type] << " from=" << m_message.from << " to=" << m_message.to
       << " term=" << m_message.term << " index=" << m_message.index
       << " logTerm=" << m_message.logTerm << " commit=" << m_message.commit
       << " accepted=" << m_message.accepted << " entries=" << m_message.entries.size();
}

} // namespace ns3
