// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_PARAMETERS_H
#define NETWORK_PARAMETERS_H

#include "ns3/nstime.h"
#include "ns3/rl-per-agent.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The stations of wifi_rate_control, their positions, and their rate controls.
 */
struct NetworkParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @param station Number of a station.
     * @return the name of its agent
     */
    static std::string GetAgent(uint32_t station);

    /**
     * @param station Number of a station.
     * @return its rate control: agent, or the name of an ns-3 algorithm
     */
    const std::string& GetAlgorithm(uint32_t station) const;

    /**
     * @return whether an agent chooses the rates of any station
     */
    bool HasAgents() const;

    std::string situation{"still"};                        //!< still, moving, interfering
    uint32_t stations{1};                                  //!< Number of stations
    PerAgent<double> distance{20};                         //!< Distance to the access point, in m
    double farthest{45};                                   //!< Turning point, in m
    double speed{5};                                       //!< Speed of moving stations, m/s
    double interfererDistance{40};                         //!< Distance to access point, in m
    double interference{0.3};                              //!< Share of time of interference
    double fading{0};                                      //!< Nakagami shape m; 0: none
    std::string standard{"ax"};                            //!< Standard: n, ac, ax
    uint32_t channelWidth{20};                             //!< Width in MHz
    uint32_t streams{1};                                   //!< Maximum number of spatial streams
    uint32_t aggregation{0};                               //!< Longest A-MPDU in bytes; 0: none
    uint32_t payload{1500};                                //!< Bytes in a frame
    PerAgent<std::string> algorithm{std::string("agent")}; //!< agent, or an ns-3 algorithm
    uint32_t mcs{0};                                       //!< MCS of algorithm constant

  private:
    /**
     * @return a fault of the configured rates, or an empty string
     */
    std::string FindRateFault() const;

    /**
     * @return a fault of the agents' names, or an empty string
     */
    std::string FindNameFault() const;
};

} // namespace ns3

#endif // NETWORK_PARAMETERS_H
