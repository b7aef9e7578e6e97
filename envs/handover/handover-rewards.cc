// SPDX-License-Identifier: GPL-2.0-only

#include "handover-rewards.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

HandoverRewards::HandoverRewards(const HandoverRewardParameters& parameters,
                                 const HandoverMonitor& monitor,
                                 LteMeter& meter,
                                 uint32_t users,
                                 DataRate demand)
    : m_parameters(parameters),
      m_monitor(monitor),
      m_meter(meter),
      m_demand(demand.GetBitRate() / 1e6),
      m_accounts(users)
{
}

void
HandoverRewards::Measure()
{
    if (m_measured == Simulator::Now())
    {
        return;
    }
    m_measured = Simulator::Now();
    m_meter.Measure();
    for (uint32_t i = 0; i < m_accounts.size(); i++)
    {
        auto& account = m_accounts[i];
        const auto& user = m_monitor.GetUser(i);
        account.earned = std::min(1., m_meter.GetThroughput(i) / m_demand) -
                         m_parameters.handoverPrice * (user.handovers - account.handovers) -
                         m_parameters.failurePrice * (user.failures - account.failures);
        account.handovers = user.handovers;
        account.failures = user.failures;
    }
}

double
HandoverRewards::GetOfUser(uint32_t user) const
{
    return m_accounts[user].earned;
}

double
HandoverRewards::GetOfCell(uint32_t cell) const
{
    double sum = 0;
    for (uint32_t user = 0; user < m_accounts.size(); user++)
    {
        if (m_monitor.GetUser(user).last == cell)
        {
            sum += m_accounts[user].earned;
        }
    }
    return sum;
}

double
HandoverRewards::GetMean() const
{
    double sum = 0;
    for (const auto& account : m_accounts)
    {
        sum += account.earned;
    }
    return sum / m_accounts.size();
}

} // namespace ns3
