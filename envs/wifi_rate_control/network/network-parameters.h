// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_PARAMETERS_H
#define NETWORK_PARAMETERS_H

#include "ns3/rl-per-agent.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

constexpr double FARTHEST = 50; //!< In m; beyond, frames are below -82 dBm
const std::map<std::string, uint32_t> LARGEST_MCS{{"n", 7}, {"ac", 9}, {"ax", 11}};

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("situation",
                             "Stations stay, walk away and back repeatedly, or stay near a sender "
                             "of another network.",
                             situation,
                             {"still", "moving", "interfering"});
        simulation.AddValue("stations",
                            "Number of stations, each with an agent.",
                            stations,
                            1U,
                            20U);
        simulation.AddValuePerAgent(
            "distance",
            "Distance of a station from the access point in m; moving stations begin there.",
            distance,
            1.,
            FARTHEST);
        simulation.AddValue("farthest",
                            "Distance from the access point at which a moving station turns, in m.",
                            farthest,
                            2.,
                            FARTHEST);
        simulation.AddValue("speed", "Speed of moving stations in m/s.", speed, 0.1, 50.);
        simulation.AddValue("interferer_distance",
                            "Distance of the other cell's sender from the access point in m, in "
                            "the direction away from the first station.",
                            interfererDistance,
                            5.,
                            200.);
        simulation.AddValue(
            "interference",
            "Share of time in which the other cell's sender would send if it never had to wait.",
            interference,
            0.01,
            1.);
        simulation.AddValue(
            "fading",
            "Shape m of Nakagami fading, new for each frame; 1: Rayleigh, 0: no fading.",
            fading,
            0.,
            100.);
        simulation.AddChoice("standard",
                             "802.11n, 802.11ac or 802.11ax, at 5 GHz.",
                             standard,
                             {"n", "ac", "ax"});
        simulation.AddValue("channel_width", "20, 40 or 80 MHz.", channelWidth, 20U, 80U);
        simulation.AddValue("streams", "Most spatial streams.", streams, 1U, 4U);
        simulation.AddValue("aggregation",
                            "Longest A-MPDU in bytes; 0: frames are sent one by one.",
                            aggregation,
                            0U,
                            1'048'575U);
        simulation.AddValue("payload",
                            "Bytes in a frame, without the headers of LLC and MAC.",
                            payload,
                            100U,
                            2296U);
        simulation.AddChoicePerAgent(
            "algorithm",
            "Control of rates: the agent, or an ns-3 algorithm. With an algorithm, agents observe "
            "and are rewarded, but their actions have no effect.",
            algorithm,
            {"agent", "ideal", "minstrel_ht", "thompson_sampling", "constant"});
        simulation.AddValue("mcs",
                            "Modulation and coding scheme of algorithm=constant.",
                            mcs,
                            0U,
                            11U);
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        for (const auto& fault : {FindNameFault(), FindRateFault()})
        {
            if (!fault.empty())
            {
                return fault;
            }
        }
        std::ostringstream fault;
        for (uint32_t i = 0; situation == "moving" && i < stations; i++)
        {
            const auto start = distance.Get(GetAgent(i));
            if (start >= farthest)
            {
                fault << "distance=" << start << " is not less than farthest=" << farthest
                      << ", to which stations move";
                return fault.str();
            }
        }
        return "";
    }

    /**
     * @param station Number of a station.
     * @return the name of its agent
     */
    static std::string GetAgent(uint32_t station)
    {
        return "agent_" + std::to_string(station);
    }

    /**
     * @param station Number of a station.
     * @return its rate control: agent, or the name of an ns-3 algorithm
     */
    const std::string& GetAlgorithm(uint32_t station) const
    {
        return algorithm.Get(GetAgent(station));
    }

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
    std::string FindRateFault() const
    {
        std::ostringstream fault;
        const auto largest = LARGEST_MCS.at(standard);
        if (channelWidth != 20 && channelWidth != 40 && channelWidth != 80)
        {
            fault << "channel_width=" << channelWidth << " is not one of 20, 40, 80";
        }
        else if (standard == "n" && channelWidth == 80)
        {
            fault << "channel_width=80 is not in 802.11n: choose 20 or 40, or standard=ac or ax";
        }
        else if (mcs > largest)
        {
            fault << "mcs=" << mcs << " is not in 802.11" << standard << ", which has 0 to "
                  << largest;
        }
        else if (standard == "ac" && mcs == 9 && channelWidth == 20 && streams != 3)
        {
            fault << "mcs=9 in 802.11ac at 20 MHz needs 3 streams";
        }
        return fault.str();
    }

    /**
     * @return a fault of the agents' names, or an empty string
     */
    std::string FindNameFault() const
    {
        std::vector<std::string> agents;
        for (uint32_t i = 0; i < stations; i++)
        {
            agents.push_back(GetAgent(i));
        }
        const auto fault = algorithm.FindStranger("algorithm", agents);
        return fault.empty() ? distance.FindStranger("distance", agents) : fault;
    }
};

} // namespace ns3

#endif // NETWORK_PARAMETERS_H
