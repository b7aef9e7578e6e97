// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAME_AGENT_APP_H
#define FRAME_AGENT_APP_H

#include "link-statistics.h"
#include "rate-features.h"

#include "ns3/agent-application.h"

#include <cstdint>
#include <functional>
#include <optional>

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
                  std::function<double()> earn);

    /**
     * Decide.
     *
     * @return number of a rate; nothing before the agent's start and after its end
     */
    std::optional<uint32_t> Decide();

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;

    Ptr<const LinkStatistics> m_statistics; //!< Statistics of the station
    RateFeatures m_features;                //!< Features of the stations
    std::function<double()> m_earn;         //!< The rewards
};

} // namespace ns3

#endif // FRAME_AGENT_APP_H
