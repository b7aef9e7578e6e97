// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAME_AGENT_APP_H
#define FRAME_AGENT_APP_H

#include "link-statistics.h"
#include "rate-features.h"

#include "ns3/agent-application.h"
#include "ns3/opengym-builders.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace ns3
{

/**
 * @brief Chooses the rate of each frame exchange of its node's station, within the call of the MAC.
 *
 * Observation: Box of float32, the RateFeatures of the time since the last decision. Action:
 * Discrete, number of a rate. Its reward is for the time since the last decision.
 */
class FrameAgentApp : public AgentApplication
{
  public:
    /**
     * @param statistics Statistics of its station.
     * @param features Features of its station.
     * @param earn Returns the reward since the last call.
     */
    FrameAgentApp(Ptr<const LinkStatistics> statistics,
                  const RateFeatures& features,
                  std::function<double()> earn)
        : m_statistics(statistics),
          m_features(features),
          m_earn(std::move(earn))
    {
    }

    /**
     * Decide.
     *
     * @return number of a rate; nothing before the agent's start and after its end
     */
    std::optional<uint32_t> Decide()
    {
        if (HasEnded() || !m_statistics)
        {
            return std::nullopt;
        }
        m_observation = MakeBoxContainer(m_features.Make(*m_statistics));
        m_reward += m_earn();
        const auto action = RequestAction();
        if (!action)
        {
            return std::nullopt;
        }
        return action->GetObject<OpenGymDiscreteContainer>()->GetValue();
    }

  private:
    void DoDispose() override
    {
        m_statistics = nullptr;
        m_earn = nullptr;
        AgentApplication::DoDispose();
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace(m_features.GetLow(), m_features.GetHigh());
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(m_statistics->GetTable().GetRows().size());
    }

    Ptr<const LinkStatistics> m_statistics; //!< Statistics of the station
    RateFeatures m_features;                //!< Features of the stations
    std::function<double()> m_earn;         //!< The rewards
};

} // namespace ns3

#endif // FRAME_AGENT_APP_H
