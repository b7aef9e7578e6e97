// SPDX-License-Identifier: GPL-2.0-only

#include "cell-statistics.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

CellStatistics::CellStatistics(const WifiCell& cell, Time interval, RewardParameters parameters)
    : m_cell(cell),
      m_interval(interval),
      m_parameters(std::move(parameters)),
      m_frame(cell.GetExchangeTime().GetSeconds() / interval.GetSeconds()),
      m_maximum(cell.GetPayload() * 8 / cell.GetExchangeTime().GetSeconds() / 1e6),
      m_frameShare(cell.GetFrameTime().GetSeconds() / interval.GetSeconds()),
      m_accounts(cell.GetStations().size())
{
}

void
CellStatistics::Measure()
{
    if (m_measured == Simulator::Now())
    {
        return;
    }
    m_measured = Simulator::Now();
    double total = 0;
    for (std::size_t i = 0; i < m_accounts.size(); i++)
    {
        auto& account = m_accounts[i];
        const auto& station = *GetStations()[i];
        const auto delivered = station.GetDelivered();
        const auto transmissions = station.GetTransmissions();
        account.throughput = (delivered - account.delivered) * m_frame;
        account.airtime = (transmissions - account.transmissions) * m_frameShare;
        account.delivered = delivered;
        account.transmissions = transmissions;
        total += account.throughput;
        if (station.HasJoined() && m_parameters.kind == "mixed")
        {
            Remember(account);
        }
    }
    m_shared = m_parameters.kind == "mixed" ? GetFairThroughput() : total;
}

void
CellStatistics::Remember(Account& account) const
{
    account.sum += account.throughput;
    if (account.past.size() < m_parameters.history)
    {
        account.past.push_back(account.throughput);
        return;
    }
    account.sum -= account.past[account.oldest];
    account.past[account.oldest] = account.throughput;
    account.oldest = (account.oldest + 1) % account.past.size();
}

double
CellStatistics::GetFairThroughput() const
{
    const double power = 1 - m_parameters.alpha;
    double sum = 0;
    uint32_t count = 0;
    for (const auto& account : m_accounts)
    {
        if (!account.past.empty())
        {
            // Sums after additions and subtractions may have a rounding error below 0.
            const double mean = std::max(account.sum / account.past.size(), 0.);
            sum += power == 0 ? std::log(mean) : std::pow(mean, power);
            count++;
        }
    }
    if (count == 0)
    {
        return 0;
    }
    const double mean = sum / count;
    return count * (power == 0 ? std::exp(mean) : std::pow(mean, 1 / power));
}

double
CellStatistics::GetReward(uint32_t station) const
{
    if (m_parameters.central)
    {
        return m_shared / m_accounts.size();
    }
    return m_parameters.kind == "competitive" ? m_accounts[station].throughput : m_shared;
}

double
CellStatistics::GetThroughput(uint32_t station) const
{
    return m_accounts[station].throughput * m_maximum;
}

double
CellStatistics::GetAirtime(uint32_t station) const
{
    return m_accounts[station].airtime;
}

const std::vector<Ptr<SaturatedStation>>&
CellStatistics::GetStations() const
{
    return m_cell.GetStations();
}

uint32_t
CellStatistics::CountJoined() const
{
    const auto& stations = GetStations();
    return std::count_if(stations.begin(), stations.end(), [](const auto& station) {
        return station->HasJoined();
    });
}

} // namespace ns3
