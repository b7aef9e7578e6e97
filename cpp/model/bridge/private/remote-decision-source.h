// SPDX-License-Identifier: GPL-2.0-only

#ifndef REMOTE_DECISION_SOURCE_H
#define REMOTE_DECISION_SOURCE_H

#include "decision-source.h"
#include "step-link.h"

#include <functional>
#include <memory>

namespace ns3
{

/**
 * @brief The Python process at the other end of a StepLink.
 *
 * A fault is told to Python where it can be, and on standard error; then the process ends with
 * exit status 1.
 */
class RemoteDecisionSource : public DecisionSource
{
  public:
    /**
     * @param options Where Python listens, and what it is told of the simulation.
     */
    explicit RemoteDecisionSource(const BridgeOptions& options);

    void Begin(const std::vector<AgentIntroduction>& agents) override;
    Decision Decide(const DecisionRound& round) override;
    void End(const DecisionRound& round) override;

  private:
    /** A list of introductions in a message. */
    using AgentSpecs = google::protobuf::RepeatedPtrField<defiance::v1::AgentSpec>;

    /**
     * Do something and end the process if it fails.
     *
     * @param action May throw BridgeFault.
     */
    void Guard(const std::function<void()>& action);

    /**
     * Write introductions, and remember the agents.
     *
     * @param agents The agents.
     * @param specs Empty list to write to.
     */
    void EncodeAgents(const std::vector<AgentIntroduction>& agents, AgentSpecs& specs);

    /**
     * @param round What the agents see, and what else has happened.
     */
    void SendRequest(const DecisionRound& round);

    /**
     * @param round What was asked.
     * @return Python's decision; throw BridgeFault when the reply does not answer the request
     */
    Decision ReadReply(const DecisionRound& round);

    /**
     * @return Python's next reply to the last request; throw BridgeFault when it is none
     */
    const defiance::v1::StepReply& ReceiveReply();

    /**
     * @param round What was asked.
     * @param reply Python's reply.
     * @return an action per step of the round; throw BridgeFault when one is missing or wrong
     */
    std::vector<Ptr<OpenGymDataContainer>> DecodeActions(
        const DecisionRound& round,
        const defiance::v1::StepReply& reply) const;

    /**
     * @param round What was asked.
     * @param agent Index in Python's reply.
     * @return position of the agent's step in the round; throw BridgeFault when it did not ask
     */
    std::size_t FindStep(const DecisionRound& round, uint32_t agent) const;

    /**
     * @param message Python's action for an agent.
     * @return the action; throw BridgeFault when it is not of the agent's action space
     */
    Ptr<OpenGymDataContainer> DecodeAction(const defiance::v1::AgentAction& message) const;

    BridgeOptions m_options;                   //!< What Python is told of the simulation
    std::unique_ptr<StepLink> m_link;          //!< Connection to Python
    uint64_t m_sequence{0};                    //!< Number of requests so far
    std::vector<AgentIntroduction> m_agents;   //!< By index
    defiance::v1::SimulationMessage m_message; //!< The message being sent
    defiance::v1::PythonMessage m_reply;       //!< The last message received
};

} // namespace ns3

#endif /* REMOTE_DECISION_SOURCE_H */
