// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-storage.h"

namespace ns3
{

void
TendermintStorage::Erase()
{
    m_record = {};
    m_decisions.clear();
    m_decided.clear();
    m_log.clear();
    m_proofDigest = 0;
}

void
TendermintStorage::Save(const TendermintRecord& record)
{
    BeforeWrite();
    m_record = record;
}

void
TendermintStorage::Decide(const TendermintDecision& decision)
{
    BeforeWrite();
    const auto& [round, value, signers] = decision;
    m_decisions.push_back(decision);
    m_decided.insert(value);
    m_log.push_back({static_cast<uint32_t>(round), value - TendermintValue::EMPTY});
    m_proofDigest = Digest(
        m_proofDigest,
        {.term = static_cast<uint32_t>(signers >> 32), .request = static_cast<uint32_t>(signers)});
    m_record = {};
}

uint32_t
TendermintStorage::GetHeight() const
{
    return m_decisions.size() + 1;
}

const TendermintRecord&
TendermintStorage::GetRecord() const
{
    return m_record;
}

const std::vector<TendermintDecision>&
TendermintStorage::GetDecisions() const
{
    return m_decisions;
}

bool
TendermintStorage::HasDecided(uint32_t value) const
{
    return m_decided.contains(value);
}

const std::vector<ReplicaEntry>&
TendermintStorage::GetLog() const
{
    return m_log;
}

uint64_t
TendermintStorage::GetProofDigest() const
{
    return m_proofDigest;
}

} // namespace ns3
