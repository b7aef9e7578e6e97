// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-storage.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TendermintStorage);

TypeId
TendermintStorage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TendermintStorage")
                            .SetParent<StableStorage>()
                            .SetGroupName("defiance")
                            .AddConstructor<TendermintStorage>();
    return tid;
}

void
TendermintStorage::Erase()
{
    m_record = {};
    m_decisions.clear();
}

void
TendermintStorage::Save(const TendermintRecord& record)
{
    m_record = record;
}

void
TendermintStorage::Decide(const TendermintDecision& decision)
{
    m_decisions.push_back(decision);
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

} // namespace ns3
