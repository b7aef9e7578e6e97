// SPDX-License-Identifier: GPL-2.0-only

#include "rate-rewards.h"

#include "ns3/simulator.h"

namespace ns3
{

RateRewards::RateRewards(uint32_t payload, bool isShared)
    : m_payload(payload),
      m_isShared(isShared)
{
}

void
RateRewards::Add(Ptr<LinkStatistics> statistics)
{
    m_accounts.push_back({statistics});
}

void
RateRewards::Start()
{
    for (uint32_t i = 0; i < m_accounts.size(); i++)
    {
        Take(i);
    }
}

double
RateRewards::Take(uint32_t station)
{
    auto& account = m_accounts[station];
    const auto seconds = (Simulator::Now() - account.paid).GetSeconds();
    const auto frames = CountFrames(station);
    const auto bits = 8. * m_payload * (frames - account.frames);
    account.paid = Simulator::Now();
    account.frames = frames;
    return seconds > 0 ? bits / seconds / account.statistics->GetTable().GetFastest() : 0;
}

uint64_t
RateRewards::CountFrames(uint32_t station) const
{
    if (!m_isShared)
    {
        return m_accounts[station].statistics->GetAcknowledged();
    }
    uint64_t frames = 0;
    for (const auto& account : m_accounts)
    {
        frames += account.statistics->GetAcknowledged();
    }
    return frames;
}

} // namespace ns3
