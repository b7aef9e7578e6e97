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
 * @brief Wi-Fi stations whose rates agents choose.
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
     * @return whether agents are asked within calls of the MAC
     */
    bool IsPerFrame() const;

    /**
     * @param station Number of a station.
     * @return what an agent sees of it
     */
    RateFeatures MakeFeatures(uint32_t station) const;

    /**
     * Make an agent that is asked within calls of the MAC.
     *
     * @param station Number of its station.
     * @return the agent
     */
    Ptr<AgentApplication> MakeFrameAgent(uint32_t station);

    /**
     * Make an agent that is asked once in an interval.
     *
     * @param agent Its number.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent);

    /**
     * @param station Number of a station.
     * @return what is reported of it
     */
    OpenGymInfo Report(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @param info Where what an algorithm of ns-3 would need is added.
     */
    void AddDetails(uint32_t station, OpenGymInfo& info) const;

    /**
     * @return what is reported of all stations together
     */
    OpenGymInfo ReportAll() const;

    /**
     * @return the data rates of the table, in bit/s
     */
    Ptr<OpenGymBoxContainer<double>> ListDataRates() const;

    NetworkParameters m_parameters;         //!< The properties of the network
    std::string m_control{"interval"};      //!< per_frame, interval
    Time m_interval{MilliSeconds(50)};      //!< Between two decisions
    std::string m_observation{"counts"};    //!< counts, smoothed
    Time m_memory{Seconds(1)};              //!< In which a frame fades, if they are smoothed
    std::string m_reward{"cooperative"};    //!< cooperative, competitive
    bool m_details{true};                   //!< Infos tell what algorithms of ns-3 know
    std::unique_ptr<RateNetwork> m_network; //!< The network
    std::optional<RateRewards> m_rewards;   //!< Its rewards
};

} // namespace ns3

#endif // WIFI_RATE_CONTROL_ENVIRONMENT_H
