// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_AGENT_APP_H
#define RATE_AGENT_APP_H

#include "ns3/agent-application.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief Chooses the rates of the stations that it is connected with, each until it chooses again.
 *
 * It decides once in each instant at which it has heard of a station, with what it has heard last
 * of each. Observation: Box of float32, the numbers of the stations one after the other. Action:
 * Discrete, number of a rate, for one station; MultiDiscrete for a central agent.
 */
class RateAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Say what is seen and done for each station.
     *
     * @param low Lower bounds of its numbers.
     * @param high Upper bounds of its numbers.
     * @param rates Number of its rates.
     */
    void SetSpaces(const std::vector<float>& low, const std::vector<float>& high, int64_t rates);

    /**
     * @param report Returns what is reported beside the observation.
     */
    void SetReport(std::function<OpenGymInfo()> report);

    void Setup() override;

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;
    void OnRecvObs(uint32_t remoteAppId) override;

    /**
     * @param bounds Of a station.
     * @return those of all its stations
     */
    std::vector<float> Repeat(const std::vector<float>& bounds) const;

    uint32_t m_firstStation;               //!< Number of the first of its stations
    uint32_t m_stations;                   //!< How many stations it decides for
    bool m_central;                        //!< Acts for all stations at once
    std::vector<float> m_low;              //!< Lower bounds of the numbers of a station
    std::vector<float> m_high;             //!< Upper bounds of the numbers of a station
    int64_t m_rates{0};                    //!< Number of rates of a station
    std::vector<float> m_states;           //!< What it has heard last of each station
    std::function<OpenGymInfo()> m_report; //!< What is reported besides
    EventId m_decideEvent;                 //!< The decision of this instant
};

} // namespace ns3

#endif // RATE_AGENT_APP_H
