// SPDX-License-Identifier: GPL-2.0-only

#ifndef CELL_STATISTICS_H
#define CELL_STATISTICS_H

#include "wifi-cell.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The sharing of rewards.
 */
struct RewardParameters
{
    std::string kind{"cooperative"}; //!< Kind: cooperative, competitive or mixed
    double alpha{1};                 //!< Exponent of alpha-fairness, for mixed
    uint32_t history{300};           //!< Averaged intervals of mixed rewards
    bool central{true};              //!< Whether one agent receives all rewards
};

/**
 * @brief The measurements of each station in the last interval, and its rewards.
 *
 * Throughput counts the payload of frames that have reached the access point. Rewards use
 * normalised throughput: 1 is a single station's throughput without back-off. With x the normalised
 * throughputs of the n stations that have joined, rewards are
 *
 * - cooperative: for each station the sum of x;
 * - competitive: for each station its own x;
 * - mixed: for each station n times the equally distributed equivalent of alpha-fair utility
 *   (Atkinson 1970; Mo and Walrand 2000), with x over the last intervals. The equivalent is (mean
 *   of x^(1 - alpha))^(1 / (1 - alpha)), and the geometric mean for alpha = 1. The reward equals
 *   the sum of x if all are equal, and is less otherwise.
 *
 * A central agent receives the sum over all stations once.
 */
class CellStatistics
{
  public:
    /**
     * @param cell Cell of the stations, which lives as long as this object.
     * @param interval Length of an interval.
     * @param parameters Parameters of rewards.
     */
    CellStatistics(const WifiCell& cell, Time interval, RewardParameters parameters)
        : m_cell(cell),
          m_interval(interval),
          m_parameters(std::move(parameters)),
          m_frame(cell.GetExchangeTime().GetSeconds() / interval.GetSeconds()),
          m_maximum(cell.GetPayload() * 8 / cell.GetExchangeTime().GetSeconds() / 1e6),
          m_frameShare(cell.GetFrameTime().GetSeconds() / interval.GetSeconds()),
          m_accounts(cell.GetStations().size())
    {
    }

    /**
     * Measure the interval since the last call, unless that was at this instant.
     */
    void Measure()
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
            const auto& [transmissions, failures, delivered] = station.GetCounts();
            account.throughput = (delivered - account.before.delivered) * m_frame;
            account.airtime = (transmissions - account.before.transmissions) * m_frameShare;
            account.before = station.GetCounts();
            total += account.throughput;
            if (station.HasJoined() && m_parameters.kind == "mixed")
            {
                Remember(account);
            }
        }
        m_shared = m_parameters.kind == "mixed" ? GetFairThroughput() : total;
    }

    /**
     * @param station Number of a station.
     * @return the reward of its agent for the last interval
     */
    double GetReward(uint32_t station) const
    {
        if (m_parameters.central)
        {
            return m_shared / m_accounts.size();
        }
        return m_parameters.kind == "competitive" ? m_accounts[station].throughput : m_shared;
    }

    /**
     * @param station Number of a station.
     * @return its throughput in the last interval, in Mb/s
     */
    double GetThroughput(uint32_t station) const
    {
        return m_accounts[station].throughput * m_maximum;
    }

    /**
     * @param station Number of a station.
     * @return the share of the last interval in which it transmitted data frames
     */
    double GetAirtime(uint32_t station) const
    {
        return m_accounts[station].airtime;
    }

    /**
     * @return the stations
     */
    const std::vector<Ptr<SaturatedStation>>& GetStations() const
    {
        return m_cell.GetStations();
    }

    /**
     * @return number of stations that have joined
     */
    uint32_t CountJoined() const
    {
        const auto& stations = GetStations();
        return std::count_if(stations.begin(), stations.end(), [](const auto& station) {
            return station->HasJoined();
        });
    }

  private:
    /// The measurements of a station.
    struct Account
    {
        SaturatedStation::Counts before; //!< Counts until the last interval
        double throughput{0};            //!< Normalised throughput of the last interval
        double airtime{0};               //!< Airtime of the last interval
        std::deque<double> past;         //!< Normalised throughputs of last intervals
        double sum{0};                   //!< Sum of `past`
    };

    /**
     * Store the throughput of the last interval.
     *
     * @param account Measurements of the station.
     */
    void Remember(Account& account) const
    {
        account.sum += account.throughput;
        account.past.push_back(account.throughput);
        if (account.past.size() > m_parameters.history)
        {
            account.sum -= account.past.front();
            account.past.pop_front();
        }
    }

    /**
     * @return the mixed reward that all stations share
     */
    double GetFairThroughput() const
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

    const WifiCell& m_cell;          //!< Cell of the stations
    Time m_interval;                 //!< Interval of measurements
    RewardParameters m_parameters;   //!< Parameters of rewards
    double m_frame;                  //!< Normalised value of a frame in an interval
    double m_maximum;                //!< Throughput that counts as 1, in Mb/s
    double m_frameShare;             //!< Share of a transmission in an interval
    Time m_measured{-1};             //!< End of the last interval
    std::vector<Account> m_accounts; //!< Measurements of each station
    double m_shared{0};              //!< Reward that stations share in the last interval
};

} // namespace ns3

#endif // CELL_STATISTICS_H
