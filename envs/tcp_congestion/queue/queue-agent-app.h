// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_AGENT_APP_H
#define QUEUE_AGENT_APP_H

#include "ns3/agent-application.h"

#include <functional>

namespace ns3
{

/**
 * @brief Sets the probability of a drop or mark at a bottleneck, at each sample of its queue.
 *
 * Observation: Box of 6 x float32, as QueueObservationApp has it. Action: Discrete(7), or Box of
 * 1 x float32 from 0 to 1.
 */
class QueueAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param report Returns what is reported beside the observation.
     */
    void SetReport(std::function<OpenGymInfo()> report);

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    bool m_continuous;                     //!< Any probability, rather than one of a few
    std::function<OpenGymInfo()> m_report; //!< What is reported besides
};

} // namespace ns3

#endif // QUEUE_AGENT_APP_H
