// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_CONTENTION_ENVIRONMENT_H
#define WIFI_CONTENTION_ENVIRONMENT_H

#include "cell-statistics.h"
#include "environment.h"
#include "wifi-cell.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief Saturated stations that contend for a Wi-Fi channel.
 */
class WifiContentionEnvironment : public Environment
{
  public:
    WifiContentionEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    Ptr<Node> GetGateway() const override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * @param station Number of a station.
     * @return its joining time, from the start of the episode
     */
    Time GetJoinTime(uint32_t station) const;

    /**
     * @return whether messages cross the cell
     */
    bool CarriesMessages() const;

    /**
     * @param station Number of a station.
     * @return the application that reports its transmissions
     */
    Ptr<ObservationApplication> MakeObservation(uint32_t station);

    /**
     * @param station Number of a station.
     * @return the application that sets its window
     */
    Ptr<ActionApplication> MakeAction(uint32_t station);

    uint32_t m_stations{5};                     //!< Number of stations at the start
    uint32_t m_finalStations{0};                //!< Number of stations at the end; 0: as many
    uint32_t m_payload{1500};                   //!< Bytes in a frame
    Time m_interval{MilliSeconds(10)};          //!< Interval between two decisions
    uint32_t m_history{300};                    //!< Samples in an observation
    std::string m_actionSpace{"discrete"};      //!< Kind: discrete or continuous
    std::string m_backOff{"agent"};             //!< Algorithm: agent or standard
    bool m_observeActions{false};               //!< Whether agents observe their actions
    RewardParameters m_reward;                  //!< Parameters of rewards
    std::optional<WifiCell> m_cell;             //!< The network
    std::optional<CellStatistics> m_statistics; //!< The measurements
};

} // namespace ns3

#endif // WIFI_CONTENTION_ENVIRONMENT_H
