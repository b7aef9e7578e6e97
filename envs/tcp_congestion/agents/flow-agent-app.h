// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_AGENT_APP_H
#define FLOW_AGENT_APP_H

#include "device-agent-application.h"
#include "flow-features.h"
#include "interval-control.h"

#include "ns3/opengym-containers.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Changes the window of a sender, or its pacing rate if it is paced.
 *
 * | Discrete | window | pacing rate |
 * |---|---|---|
 * | 0 | half | half |
 * | 1 | a segment less | 5 % less |
 * | 2 | as it is | as it is |
 * | 3 | a segment more | 5 % more |
 * | 4 | double | double |
 *
 * Proportional: Discrete(9) multiplies window or pacing rate by 2^a, where a is -1, -1/2, -1/4,
 * -1/8, 0, 1/8, 1/4, 1/2 or 1. Continuous: a is the number of a Box of 1 x float32, from -1 to 1.
 */
struct FlowActions
{
    static constexpr int64_t STEPS = 5;        //!< Number of discrete actions
    static constexpr int64_t PROPORTIONAL = 9; //!< Number of proportional actions

    /**
     * Execute an action.
     *
     * @param action The action.
     * @param proportional Whether a Discrete is a proportional action.
     * @param control The control to change.
     * @param segmentSize Size in bytes.
     */
    static void Execute(Ptr<OpenGymDataContainer> action,
                        bool proportional,
                        IntervalControl& control,
                        uint32_t segmentSize);
};

/**
 * @brief Sets the windows, or pacing rates, of its senders.
 *
 * It decides once at each instant with new samples, by the last known sample of each flow, and ends
 * when all its flows are known to have left. Its reward is the sum over its flows.
 *
 * Observation: Box of features of each flow, float32, in the order of the flows. Action: for one
 * flow Discrete(5), or Discrete(9) if it is proportional, for a central agent MultiDiscrete; or Box
 * of 1 x float32 for each flow, from -1 to 1.
 */
class FlowAgentApp : public DeviceAgentApplication
{
  public:
    /**
     * @param flows Flows of the agent.
     * @param features Features of a flow.
     * @param actionSpace discrete, proportional or continuous; see FlowActions.
     */
    FlowAgentApp(const AgentDevices& flows, const FlowFeatures& features, std::string actionSpace);

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    bool TakesActions(uint32_t flow) const override;
    void Decide() override; // or end, if all flows have left

    FlowFeatures m_features;     //!< Features of a flow
    std::string m_actionSpace;   //!< Kind: discrete, proportional or continuous
    std::vector<float> m_states; //!< Last known features of each flow
    std::vector<bool> m_left;    //!< Flows that are known to have left
};

} // namespace ns3

#endif // FLOW_AGENT_APP_H
