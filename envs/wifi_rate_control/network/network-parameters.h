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
 * @brief Which stations there are in wifi_rate_control, where, and what chooses their rates.
 */
struct NetworkParameters
{
    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @param station Number of a station.
     * @return the name of its agent
     */
    static std::string GetAgent(uint32_t station);

    /**
     * @param station Number of a station.
     * @return what chooses its rates: agent, or the name of an algorithm of ns-3
     */
    const std::string& GetAlgorithm(uint32_t station) const;

    /**
     * @return whether an agent chooses the rates of any station
     */
    bool HasAgents() const;

    std::string situation{"still"};                        //!< still, moving, interfering
    uint32_t stations{1};                                  //!< Number of stations
    PerAgent<double> distance{20};                         //!< To the access point, in m
    double farthest{45};                                   //!< Where who moves turns, in m
    double speed{5};                                       //!< Of who moves, in m/s
    double interfererDistance{40};                         //!< To the access point, in m
    double interference{0.3};                              //!< Share of time that it would send
    double fading{0};                                      //!< Shape m of Nakagami's; 0: none
    std::string standard{"ax"};                            //!< n, ac, ax
    uint32_t channelWidth{20};                             //!< In MHz
    uint32_t streams{1};                                   //!< Most spatial streams
    uint32_t aggregation{0};                               //!< Longest A-MPDU in bytes; 0: none
    uint32_t payload{1500};                                //!< Bytes in a frame
    PerAgent<std::string> algorithm{std::string("agent")}; //!< agent, or one of ns-3
    uint32_t mcs{0};                                       //!< Of algorithm constant

  private:
    /**
     * @return what is wrong with the rates that are asked for, or an empty string
     */
    std::string FindRateFault() const;

    /**
     * @return what is wrong with the agents that are named, or an empty string
     */
    std::string FindNameFault() const;
};

} // namespace ns3

#endif // NETWORK_PARAMETERS_H
