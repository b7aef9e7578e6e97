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

} // namespace ns3
