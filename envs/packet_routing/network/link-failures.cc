// SPDX-License-Identifier: GPL-2.0-only

#include "link-failures.h"

#include "ns3/simulator.h"

namespace ns3
{

namespace
{

constexpr int64_t FAILURE_STREAM = 500'000; //!< Stream of the first link

} // namespace

LinkFailures::LinkFailures(RouterNetwork& network, uint32_t links, Time interval, Time repair)
    : m_network(network),
      m_interval(interval),
      m_repair(repair)
{
    for (uint32_t link = 0; link < links; link++)
    {
        const auto variable = CreateObject<ExponentialRandomVariable>();
        variable->SetStream(FAILURE_STREAM + link);
        m_variables.push_back(variable);
    }
}

void
LinkFailures::Start()
{
    for (uint32_t link = 0; link < m_variables.size(); link++)
    {
        Schedule(link, true);
    }
}

void
LinkFailures::Schedule(uint32_t link, bool works)
{
    const auto mean = works ? m_interval : m_repair;
    const auto delay = Seconds(m_variables[link]->GetValue(mean.GetSeconds(), 0));
    Simulator::Schedule(delay, &LinkFailures::Change, this, link, !works);
}

void
LinkFailures::Change(uint32_t link, bool works)
{
    m_network.SetLinkWorks(link, works);
    Schedule(link, works);
}

} // namespace ns3
