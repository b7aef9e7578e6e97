// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_AGENT_APP_H
#define FLOW_AGENT_APP_H

#include "ns3/agent-application.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief Sets the windows, or pacing rates, of the senders that it is connected with.
 *
 * It decides once in each instant at which samples arrive, with the last known sample of each flow,
 * and ends when it has heard that all its flows have left. Its reward is the sum over its flows.
 *
 * Observation: Box of features of each flow, float32, in the order of the flows. Action:
 * Discrete(5) for one flow, MultiDiscrete([5] * flows) for a central agent; or Box of 1 x float32 a
 * flow, from -1 to 1.
 */
class FlowAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param high Upper bounds of the features of a flow; lower ones are 0.
     */
    void SetBounds(const std::vector<float>& high);

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

    /// Decide, or end if all flows have left.
    void Decide();

    /**
     * @param action Of a central agent.
     * @param flow One of its flows, from 0.
     * @return the part of the action that is for the flow
     */
    Ptr<OpenGymDataContainer> GetPart(Ptr<OpenGymDataContainer> action, uint32_t flow) const;

    uint32_t m_firstFlow;                  //!< Number of the first of its flows
    uint32_t m_flows;                      //!< How many flows it decides for
    bool m_central;                        //!< Acts for all flows at once
    bool m_continuous;                     //!< Multiplies, rather than taking steps
    std::vector<float> m_high;             //!< Upper bounds of the features of a flow
    std::vector<float> m_states;           //!< Last known features of each flow
    std::vector<bool> m_left;              //!< Which flows are known to have left
    std::function<OpenGymInfo()> m_report; //!< What is reported besides
    EventId m_decideEvent;                 //!< The decision of this instant
};

} // namespace ns3

#endif // FLOW_AGENT_APP_H
