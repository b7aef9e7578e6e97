// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_REWARDS_H
#define RATE_REWARDS_H

#include "link-statistics.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Rewards of stations that share a channel: bits delivered per airtime.
 *
 * The reward of a decision is (payload of the frames that were acknowledged since the decision, in
 * bits) / (time since then) / (largest data rate of the table). That time is all that the channel
 * was taken or waited for: frames, acknowledgements, deferring and back-off. The competitive reward
 * counts the station's own frames, the cooperative one those of all.
 */
class RateRewards
{
  public:
    /**
     * @param payload Bytes in a frame.
     * @param isShared Cooperative rather than competitive.
     */
    RateRewards(uint32_t payload, bool isShared);

    /**
     * Add a station.
     *
     * @param statistics Statistics of its frames.
     */
    void Add(Ptr<LinkStatistics> statistics);

    void Start(); //!< The episode begins

    /**
     * Pay what was earned since the last time.
     *
     * @param station Number of a station.
     * @return its reward
     */
    double Take(uint32_t station);

  private:
    /// The rewards of a station.
    struct Account
    {
        Ptr<LinkStatistics> statistics; //!< Of its frames
        Time paid;                      //!< When
        uint64_t frames{0};             //!< For how many
    };

    /**
     * @param station Number of a station.
     * @return frames that it is paid for, so far
     */
    uint64_t CountFrames(uint32_t station) const;

    uint32_t m_payload;              //!< Bytes in a frame
    bool m_isShared;                 //!< Cooperative rather than competitive
    std::vector<Account> m_accounts; //!< Of each station
};

} // namespace ns3

#endif // RATE_REWARDS_H
