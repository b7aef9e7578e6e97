// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_AGENT_APP_H
#define RATE_AGENT_APP_H

#include "device-agent-application.h"

#include "ns3/opengym-builders.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Chooses the rates of its stations, each until the next choice.
 *
 * It decides once at each instant with a new report of a station, by the last report of each.
 * Observation: Box of float32, the numbers of all stations in order. Action: Discrete, number of a
 * rate, for one station; MultiDiscrete for a central agent.
 */
class RateAgentApp : public DeviceAgentApplication
{
  public:
    /**
     * @param stations Stations of the agent.
     * @param low Lower bounds of a station's numbers.
     * @param high Upper bounds of a station's numbers.
     * @param rates Number of a station's rates.
     */
    RateAgentApp(const AgentDevices& stations,
                 std::vector<float> low,
                 std::vector<float> high,
                 int64_t rates)
        : DeviceAgentApplication(stations),
          m_low(std::move(low)),
          m_high(std::move(high)),
          m_rates(rates)
    {
    }

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return RepeatBox(m_low, m_high);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeChoices(m_rates);
    }

    void OnRecvObs(uint32_t remoteAppId) override
    {
        ReadState(remoteAppId, "state", m_states);
        m_observation = MakeBoxContainer(m_states);
        DecideSoon(); // after the rewards and other messages of this instant
    }

    std::vector<float> m_low;    //!< Lower bounds of a station's numbers
    std::vector<float> m_high;   //!< Upper bounds of a station's numbers
    int64_t m_rates;             //!< Number of a station's rates
    std::vector<float> m_states; //!< The last received numbers of each station
};

} // namespace ns3

#endif // RATE_AGENT_APP_H
