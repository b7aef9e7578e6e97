// SPDX-License-Identifier: GPL-2.0-only

#include "partition-filter.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PartitionFilter);

namespace
{

constexpr std::size_t REMEMBERED = 64; // more than the messages on the air at once

} // namespace

TypeId
PartitionFilter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PartitionFilter")
                            .SetParent<ErrorModel>()
                            .SetGroupName("defiance")
                            .AddConstructor<PartitionFilter>()
                            .AddTraceSource("Lose",
                                            "A message of a cut-off replica is lost.",
                                            MakeTraceSourceAccessor(&PartitionFilter::m_loseTrace),
                                            "ns3::PartitionFilter::LoseTracedCallback");
    return tid;
}

void
PartitionFilter::DoDispose()
{
    m_next = nullptr;
    m_sent = nullptr;
    ErrorModel::DoDispose();
}

void
PartitionFilter::SetReplica(uint32_t replica, Ptr<ErrorModel> next, Ptr<ErrorModel> sent)
{
    m_replica = replica;
    m_next = next;
    m_sent = sent;
}

void
PartitionFilter::SetLossy(bool lossy)
{
    for (const auto& model : {m_next, m_sent})
    {
        if (model)
        {
            lossy ? model->Enable() : model->Disable();
        }
    }
}

bool
PartitionFilter::IsNews(const ReplicaTag& tag)
{
    const auto message = std::pair(tag.GetFrom(), tag.GetNumber());
    if (tag.GetTo() != m_replica ||
        std::find(m_lost.begin(), m_lost.end(), message) != m_lost.end())
    {
        return false;
    }
    m_lost.push_back(message);
    if (m_lost.size() > REMEMBERED)
    {
        m_lost.pop_front();
    }
    return true;
}

bool
PartitionFilter::DoCorrupt(Ptr<Packet> packet)
{
    ReplicaTag tag;
    if (packet->PeekPacketTag(tag) && m_cut.contains(tag.GetFrom()))
    {
        if (IsNews(tag))
        {
            m_loseTrace(tag.GetFrom(), packet);
        }
        return true;
    }
    return m_next && m_next->IsCorrupt(packet);
}

} // namespace ns3
