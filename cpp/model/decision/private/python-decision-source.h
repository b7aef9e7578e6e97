// SPDX-License-Identifier: GPL-2.0-only

#ifndef PYTHON_DECISION_SOURCE_H
#define PYTHON_DECISION_SOURCE_H

#include "decision-source.h"
#include "fragment-player.h"
#include "step-link.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The Python process at the other end of a StepLink.
 *
 * A fault is reported to Python, if possible, and on standard error; then the process ends with
 * exit status 1.
 */
class PythonDecisionSource : public DecisionSource
{
  public:
    /**
     * @param options Python's endpoint, and the properties of the simulation to report.
     */
    explicit PythonDecisionSource(const BridgeOptions& options)
        : m_options(options),
          m_link(StepLink::Create(options))
    {
    }

    void Begin(const std::vector<const AgentRecord*>& agents) override;
    Decision Decide(const DecisionRound& round) override;
    void End(const DecisionRound& round) override;
    [[noreturn]] void Fail(defiance::v1::Failure::Code code, const std::string& fault) override;

  private:
    /** A list of introductions in a message. */
    using AgentSpecs = google::protobuf::RepeatedPtrField<defiance::v1::AgentSpec>;

    /**
     * Call a function and end the process if it fails.
     *
     * @param action May throw BridgeFault.
     */
    void Guard(const std::function<void()>& action);

    /**
     * @return an empty message, valid until the next one is made
     */
    template <typename Message>
    Message& MakeMessage()
    {
        m_arena.Reset();
        return *google::protobuf::Arena::CreateMessage<Message>(&m_arena);
    }

    /**
     * Write introductions, and store the kinds of the agents.
     *
     * @param agents The agents.
     * @param specs Empty list to write to.
     */
    void EncodeAgents(const std::vector<const AgentRecord*>& agents, AgentSpecs& specs);

    /**
     * @param round The agents' observations, and other news.
     */
    void SendRequest(const DecisionRound& round);

    /** Consecutive steps of a round that can be sent as one stack. */
    using Run = std::span<const AgentStepRecord>;

    /**
     * Divide the steps of a round into runs.
     *
     * @param round The round.
     */
    void FindRuns(const DecisionRound& round);

    /**
     * @param run Steps.
     * @param message Empty message to write to.
     */
    static void EncodeSteps(Run run, defiance::v1::AgentSteps& message);

    /**
     * @return Python's next reply to the last request, valid until a message is made; throw
     * BridgeFault on any other message
     */
    const defiance::v1::StepReply& ReceiveReply();

    /**
     * Copy this simulation, or send the traffic.
     *
     * @param request Request for it.
     * @param round The round of the request.
     */
    void Serve(const defiance::v1::StepReply& request, const DecisionRound& round);

    /**
     * @param round The round to be decided.
     * @return Python's decision; throw BridgeFault when the reply does not answer the request
     */
    Decision ReadReply(const DecisionRound& round);

    /**
     * @param reply Python's reply.
     * @return an action per step of the round; throw BridgeFault when one is missing or wrong
     */
    std::vector<Ptr<OpenGymDataContainer>> DecodeActions(
        const defiance::v1::StepReply& reply) const;

    /**
     * Throw BridgeFault when an action is outside of its agent's action space.
     *
     * @param agent The agent.
     * @param action Action of the agent.
     */
    void CheckAction(const AgentRecord& agent, Ptr<OpenGymDataContainer> action) const;

    BridgeOptions m_options;          //!< The reports of the simulation
    std::unique_ptr<StepLink> m_link; //!< Connection to Python
    uint64_t m_sequence{0};           //!< Number of requests so far
    std::vector<std::size_t> m_kinds; //!< Kind of each agent, equal for equal spaces
    std::map<std::string, std::size_t> m_kindOfSpaces; //!< Kinds by the spaces' messages
    FragmentPlayer m_fragments;                        //!< Player of fragments for Python
    std::vector<Run> m_runs;                           //!< Runs of agents in the current round
    std::array<char, 4096> m_block;                    //!< Memory for most messages
    google::protobuf::Arena m_arena{m_block.data(), m_block.size()}; //!< Arena of messages
};

} // namespace ns3

#endif /* PYTHON_DECISION_SOURCE_H */
