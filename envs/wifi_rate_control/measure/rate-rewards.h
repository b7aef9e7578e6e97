// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_REWARDS_H
#define RATE_REWARDS_H

#include "link-statistics.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Rewards of stations that share a channel: bits delivered per airtime.
 *
 * The reward of a decision is (payload of the frames acknowledged since the decision, in bits) /
 * (time since then) / (largest data rate of the table). The time includes frames, acknowledgements,
 * deferring and back-off. The competitive reward counts the station's own frames; the cooperative
 * reward counts all frames.
 */
class RateRewards
{
  public:
    /**
     * @param payload Bytes in a frame.
     * @param isShared Whether rewards are cooperative.
     * @param stations Statistics of all stations.
     */
    RateRewards(uint32_t payload, bool isShared, const std::vector<Ptr<LinkStatistics>>& stations)
        : m_payload(payload),
          m_isShared(isShared)
    {
        for (const auto& statistics : stations)
        {
            m_accounts.push_back({statistics});
        }
    }

    /// The episode begins
    void Start()
    {
        for (uint32_t i = 0; i < m_accounts.size(); i++)
        {
            Take(i);
        }
    }

    /**
     * Return the reward since the last call.
     *
     * @param station Number of a station.
     * @return the reward
     */
    double Take(uint32_t station)
    {
        auto& account = m_accounts[station];
        const auto seconds = (Simulator::Now() - account.paid).GetSeconds();
        const auto frames = CountFrames(station);
        const auto bits = 8. * m_payload * (frames - account.frames);
        account.paid = Simulator::Now();
        account.frames = frames;
        return seconds > 0 ? bits / seconds / account.statistics->GetTable().GetFastest() : 0;
    }

  private:
    /// The rewards of a station.
    struct Account
    {
        Ptr<LinkStatistics> statistics; //!< Statistics of the station
        Time paid;                      //!< Time of the last reward
        uint64_t frames{0};             //!< Frames rewarded so far
    };

    /**
     * @param station Number of a station.
     * @return number of rewarded frames so far
     */
    uint64_t CountFrames(uint32_t station) const
    {
        if (!m_isShared)
        {
            return m_accounts[station].statistics->Get().acknowledged;
        }
        uint64_t frames = 0;
        for (const auto& account : m_accounts)
        {
            frames += account.statistics->Get().acknowledged;
        }
        return frames;
    }

    uint32_t m_payload;              //!< Bytes in a frame
    bool m_isShared;                 //!< Whether rewards are cooperative
    std::vector<Account> m_accounts; //!< Rewards of each station
};

} // namespace ns3

#endif // RATE_REWARDS_H
