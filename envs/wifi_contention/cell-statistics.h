// SPDX-License-Identifier: GPL-2.0-only

#ifndef CELL_STATISTICS_H
#define CELL_STATISTICS_H

#include "wifi-cell.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief How rewards are shared.
 */
struct RewardParameters
{
    std::string kind{"cooperative"}; //!< cooperative, competitive or mixed
    double alpha{1};                 //!< Of alpha-fairness, for mixed ones
    uint32_t history{300};           //!< Intervals that mixed ones are averaged over
    bool central{true};              //!< One agent gets the rewards of all stations
};

/**
 * @brief The measurements of each station in the last interval, and their value.
 *
 * Throughput counts the payload of frames that have reached the access point. In rewards it is
 * normalised: 1 is what a station would reach that is alone and never backs off. With x the
 * normalised throughputs of the n stations that have joined, rewards are
 *
 * - cooperative: for each station the sum of x;
 * - competitive: for each station its own x;
 * - mixed: for each station n times the equally distributed equivalent of alpha-fair utility
 *   (Atkinson 1970; Mo and Walrand 2000), with x over the last intervals. That is
 *   (mean of x^(1 - alpha))^(1 / (1 - alpha)), and the geometric mean for alpha = 1. It equals
 *   the sum of x where all are equal, and is less where they are not.
 *
 * A central agent gets the sum that all stations share, once.
 */
class CellStatistics
{
  public:
    /**
     * @param cell Whose stations are measured, which lives as long as this.
     * @param interval How often.
     * @param parameters How rewards are shared.
     */
    CellStatistics(const WifiCell& cell, Time interval, RewardParameters parameters);

    /**
     * Take what happened since the last time, unless that was in this instant.
     */
    void Measure();

    /**
     * @param station Number of a station.
     * @return what its agent earned by the last interval
     */
    double GetReward(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return its throughput in the last interval, in Mb/s
     */
    double GetThroughput(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return the share of the last interval in which it transmitted data frames
     */
    double GetAirtime(uint32_t station) const;

    /**
     * @return the stations
     */
    const std::vector<Ptr<SaturatedStation>>& GetStations() const;

    /**
     * @return number of stations that have joined
     */
    uint32_t CountJoined() const;

  private:
    /// A station, and what it did.
    struct Account
    {
        uint64_t delivered{0};     //!< Frames until the last interval
        uint64_t transmissions{0}; //!< Until the last interval
        double throughput{0};      //!< In the last interval, normalised
        double airtime{0};         //!< In the last interval
        std::vector<double> past;  //!< Normalised throughputs of the last intervals, a ring
        std::size_t oldest{0};     //!< Where the ring begins
        double sum{0};             //!< Of the past
    };

    /**
     * Remember the throughput of the last interval.
     *
     * @param account Whose.
     */
    void Remember(Account& account) const;

    /**
     * @return the mixed reward that all stations share
     */
    double GetFairThroughput() const;

    const WifiCell& m_cell;          //!< Whose stations are measured
    Time m_interval;                 //!< Between two measurements
    RewardParameters m_parameters;   //!< How rewards are shared
    double m_frame;                  //!< The value of a frame an interval, normalised
    double m_maximum;                //!< Throughput that 1 stands for, in Mb/s
    double m_frameShare;             //!< Of an interval that a transmission takes
    Time m_measured{-1};             //!< When the last interval ended
    std::vector<Account> m_accounts; //!< Of each station
    double m_shared{0};              //!< Reward of the last interval that all stations share
};

} // namespace ns3

#endif // CELL_STATISTICS_H
