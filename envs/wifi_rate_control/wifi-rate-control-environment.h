// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_RATE_CONTROL_ENVIRONMENT_H
#define WIFI_RATE_CONTROL_ENVIRONMENT_H

#include "environment.h"
#include "network-parameters.h"
#include "rate-features.h"
#include "rate-network.h"
#include "rate-rewards.h"

#include "ns3/opengym-containers.h"
#include "ns3/opengym-info.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief Wi-Fi stations whose rates are chosen by agents.
 */
class WifiRateControlEnvironment : public Environment
{
  public:
    WifiRateControlEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * @return whether agents decide within calls of the MAC
     */
    bool IsPerFrame() const;

    /**
     * @param station Number of a station.
     * @return features of the station
     */
    RateFeatures MakeFeatures(uint32_t station) const;

    /**
     * Create an agent that decides within calls of the MAC.
     *
     * @param station Number of the agent's station.
     * @return the agent
     */
    Ptr<AgentApplication> MakeFrameAgent(uint32_t station);

    /**
     * Create an agent that decides once in an interval.
     *
     * @param agent Number of the agent.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent);

    /**
     * @param station Number of a station.
     * @return its infos
     */
    OpenGymInfo Report(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @param info Info to extend by the knowledge of ns-3's algorithms.
     */
    void AddDetails(uint32_t station, OpenGymInfo& info) const;

    /**
     * @return infos of all stations
     */
    OpenGymInfo ReportAll() const;

    /**
     * @return the data rates of the table, in bit/s
     */
    Ptr<OpenGymBoxContainer<double>> ListDataRates() const;

    NetworkParameters m_parameters;         //!< The properties of the network
    std::string m_control{"interval"};      //!< Kind: per_frame, interval
    Time m_interval{MilliSeconds(50)};      //!< Interval between two decisions
    std::string m_observation{"counts"};    //!< Kind: counts, smoothed
    Time m_memory{Seconds(1)};              //!< Time constant of smoothed counts
    std::string m_reward{"cooperative"};    //!< Kind: cooperative, competitive
    bool m_details{true};                   //!< Whether infos have ns-3's knowledge
    std::unique_ptr<RateNetwork> m_network; //!< The network
    std::optional<RateRewards> m_rewards;   //!< Rewards of the stations
};

} // namespace ns3

#endif // WIFI_RATE_CONTROL_ENVIRONMENT_H
