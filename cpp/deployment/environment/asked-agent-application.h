// SPDX-License-Identifier: GPL-2.0-only

#ifndef ASKED_AGENT_APPLICATION_H
#define ASKED_AGENT_APPLICATION_H

#include "ns3/callable-agent-application.h"

namespace ns3
{

/**
 * @brief An agent that its network asks within a call, such as the call of a MAC or of TCP.
 */
class AskedAgentApplication : public CallableAgentApplication
{
  public:
    using CallableAgentApplication::CallableAgentApplication;

    /**
     * Decide at once.
     *
     * @param observation The observation.
     * @param reward Reward since the last decision, in addition to received rewards.
     * @return the action; null: the agent does not run, or has ended
     */
    Ptr<OpenGymDataContainer> Ask(Ptr<OpenGymDataContainer> observation, double reward = 0)
    {
        m_observation = observation;
        m_reward += reward;
        return RequestAction();
    }

  private:
    bool MayAskUnconnected() const override
    {
        return true;
    }
};

} // namespace ns3

#endif // ASKED_AGENT_APPLICATION_H
