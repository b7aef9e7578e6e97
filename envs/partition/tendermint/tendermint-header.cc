// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-header.h"

#include <string>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TendermintHeader);

namespace
{

constexpr uint32_t TENDERMINT_MAGIC = 0x544d4246; // "TMBF"
constexpr uint32_t TENDERMINT_FIXED_SIZE = 24;    // bytes before the lists
constexpr uint32_t PROPOSAL_SIZE = 12;
constexpr uint32_t VOTES_SIZE = 20;
constexpr uint32_t DECISION_SIZE = 16;

/**
 * @param value What is proposed, voted for or decided.
 * @return it, as text
 */
std::string
NameValue(uint32_t value)
{
    if (value == TendermintValue::NIL)
    {
        return "nil";
    }
    return value == TendermintValue::EMPTY
               ? "empty"
               : "request " + std::to_string(value - TendermintValue::EMPTY);
}

/**
 * @param signers Who votes: bit i is replica i.
 * @return their numbers
 */
std::string
NameSigners(uint64_t signers)
{
    std::string text;
    for (uint32_t id = 1; id < 64; id++)
    {
        if (signers >> id & 1)
        {
            text += (text.empty() ? "" : ",") + std::to_string(id);
        }
    }
    return text;
}

} // namespace

TypeId
TendermintHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TendermintHeader")
                            .SetParent<Header>()
                            .SetGroupName("defiance")
                            .AddConstructor<TendermintHeader>();
    return tid;
}

TendermintHeader::TendermintHeader(TendermintMessage message)
    : m_message(std::move(message))
{
}

const TendermintMessage&
TendermintHeader::GetMessage() const
{
    return m_message;
}

bool
TendermintHeader::IsValid() const
{
    return m_valid;
}

TypeId
TendermintHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
TendermintHeader::GetSerializedSize() const
{
    return TENDERMINT_FIXED_SIZE + PROPOSAL_SIZE * m_message.proposals.size() +
           VOTES_SIZE * m_message.votes.size() + DECISION_SIZE * m_message.decisions.size();
}

void
TendermintHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(TENDERMINT_MAGIC);
    start.WriteU8(m_message.type);
    start.WriteU8(0);
    start.WriteHtonU16(m_message.proposals.size());
    start.WriteHtonU16(m_message.votes.size());
    start.WriteHtonU16(m_message.decisions.size());
    start.WriteHtonU32(m_message.from);
    start.WriteHtonU32(m_message.to);
    start.WriteHtonU32(m_message.height);
    for (const auto& [round, value, validRound] : m_message.proposals)
    {
        start.WriteHtonU32(round);
        start.WriteHtonU32(value);
        start.WriteHtonU32(validRound);
    }
    for (const auto& [type, round, value, signers] : m_message.votes)
    {
        start.WriteHtonU32(type);
        start.WriteHtonU32(round);
        start.WriteHtonU32(value);
        start.WriteHtonU64(signers);
    }
    for (const auto& [round, value, signers] : m_message.decisions)
    {
        start.WriteHtonU32(round);
        start.WriteHtonU32(value);
        start.WriteHtonU64(signers);
    }
}

uint32_t
TendermintHeader::Deserialize(Buffer::Iterator start)
{
    m_message = {};
    m_valid = start.GetRemainingSize() >= TENDERMINT_FIXED_SIZE &&
              start.ReadNtohU32() == TENDERMINT_MAGIC;
    if (!m_valid)
    {
        return 0;
    }
    const auto type = start.ReadU8();
    m_message.type = static_cast<TendermintMessage::Type>(type);
    start.ReadU8();
    m_message.proposals.resize(start.ReadNtohU16());
    m_message.votes.resize(start.ReadNtohU16());
    m_message.decisions.resize(start.ReadNtohU16());
    m_message.from = start.ReadNtohU32();
    m_message.to = start.ReadNtohU32();
    m_message.height = start.ReadNtohU32();
    m_valid = type >= TendermintMessage::PROPOSAL && type <= TendermintMessage::DECISIONS &&
              start.GetRemainingSize() >= GetSerializedSize() - TENDERMINT_FIXED_SIZE;
    if (!m_valid)
    {
        return 0;
    }
    ReadLists(start);
    return m_valid ? GetSerializedSize() : 0;
}

void
TendermintHeader::ReadLists(Buffer::Iterator start)
{
    for (auto& [round, value, validRound] : m_message.proposals)
    {
        round = start.ReadNtohU32();
        value = start.ReadNtohU32();
        validRound = start.ReadNtohU32();
        m_valid = m_valid && round >= 0 && validRound >= -1 && validRound < round;
    }
    for (auto& [type, round, value, signers] : m_message.votes)
    {
        const auto read = start.ReadNtohU32();
        type = static_cast<TendermintVotes::Type>(read);
        round = start.ReadNtohU32();
        value = start.ReadNtohU32();
        signers = start.ReadNtohU64();
        m_valid = m_valid && round >= 0 && read >= TendermintVotes::PREVOTE &&
                  read <= TendermintVotes::PRECOMMIT;
    }
    for (auto& [round, value, signers] : m_message.decisions)
    {
        round = start.ReadNtohU32();
        value = start.ReadNtohU32();
        signers = start.ReadNtohU64();
        m_valid = m_valid && round >= 0;
    }
}

void
TendermintHeader::Print(std::ostream& os) const
{
    static const char* const names[] = {"?", "Proposal", "Vote", "Gossip", "Decisions"};
    static const char* const types[] = {"?", "Prevote", "Precommit"};
    os << names[m_message.type] << " from=" << m_message.from << " to=" << m_message.to
       << " height=" << m_message.height;
    for (const auto& [round, value, validRound] : m_message.proposals)
    {
        os << " proposal(round=" << round << " " << NameValue(value) << " valid=" << validRound
           << ")";
    }
    for (const auto& [type, round, value, signers] : m_message.votes)
    {
        os << " " << types[type] << "(round=" << round << " " << NameValue(value) << " by "
           << NameSigners(signers) << ")";
    }
    for (const auto& [round, value, signers] : m_message.decisions)
    {
        os << " decision(round=" << round << " " << NameValue(value) << " by "
           << NameSigners(signers) << ")";
    }
}

} // namespace ns3
