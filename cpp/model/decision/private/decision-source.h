// SPDX-License-Identifier: GPL-2.0-only

#ifndef DECISION_SOURCE_H
#define DECISION_SOURCE_H

#include "agent-roster.h"
#include "bridge-options.h"
#include "defiance/v1/environment.pb.h"

#include "ns3/callback.h"
#include "ns3/communication-report.h"
#include "ns3/transfer.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief A step of an agent, which requests a decision.
 */
struct AgentStepRecord
{
    AgentRecord* record;                                //!< The agent
    Ptr<OpenGymDataContainer> observation;              //!< Observation of the agent
    double reward;                                      //!< Reward since the agent's last decision
    OpenGymInfo info;                                   //!< The info with the observation
    Time actionDelay;                                   //!< Delay before the action
    Callback<void, Ptr<OpenGymDataContainer>> callback; //!< Receives the action
    uint32_t context;                                   //!< Node on which the agent lives
};

/**
 * @brief The end of an agent.
 */
struct AgentEndRecord
{
    const AgentRecord* record;             //!< The agent
    Ptr<OpenGymDataContainer> observation; //!< Last observation; may be null
    double reward;                         //!< Reward since the agent's last decision
    OpenGymInfo info;                      //!< The info with the observation
    bool terminated;                       //!< Whether the agent terminated, not truncated
    Time time;                             //!< Time of the end
};

/**
 * @brief Rewards of an agent after its end.
 */
struct LateRewardRecord
{
    const AgentRecord* record; //!< The agent
    uint64_t count;            //!< Number of rewards
    Time first;                //!< Time of the first late reward
};

/**
 * @brief The message to the source of decisions, at one instant.
 */
struct DecisionRound
{
    Time time;                              //!< The instant
    std::vector<const AgentRecord*> joined; //!< Agents introduced since the last round
    std::vector<AgentEndRecord> ended;      //!< Agents ended since the last round
    std::vector<AgentStepRecord> steps;     //!< Agents that decide
    std::vector<TransferReport> transfers;  //!< Transfers finished since the last round
    std::vector<LateRewardRecord> late;     //!< At the end: late rewards
    CommunicationReporter communication;    //!< Reporter of traffic; may be null

    /** Clear the round, but keep its memory. */
    void Clear()
    {
        joined.clear();
        ended.clear();
        steps.clear();
        transfers.clear();
        late.clear();
    }
};

/** How the simulation continues after a round. */
enum class DecisionCommand
{
    STEP,
    TRUNCATE,
    STOP,
};

/**
 * @brief The decisions of a round.
 */
struct Decision
{
    DecisionCommand command{DecisionCommand::STEP}; //!< Command for the simulation
    std::vector<Ptr<OpenGymDataContainer>> actions; //!< Action of each step, on STEP
    std::vector<TransferOrder> transfers;           //!< The transfers to start now
};

/**
 * @brief The source of decisions for the agents. Faults end the process.
 */
class DecisionSource
{
  public:
    virtual ~DecisionSource() = default;

    /**
     * Begin the episode.
     *
     * @param agents Agents known so far.
     */
    virtual void Begin(const std::vector<const AgentRecord*>& agents)
    {
    }

    /**
     * Decide for the agents of a round.
     *
     * @param round The agents' observations, and other news.
     * @return the decision
     */
    virtual Decision Decide(const DecisionRound& round) = 0;

    /**
     * End the episode.
     *
     * @param round The news since the last round, without requests.
     */
    virtual void End(const DecisionRound& round)
    {
    }

    /**
     * Report a fault of the scenario, and end the process. By default, a fault in an agent's
     * observation or reward aborts, so that a debugger shows the caller.
     *
     * @param code Kind of the fault.
     * @param fault The fault.
     */
    [[noreturn]] virtual void Fail(defiance::v1::Failure::Code code, const std::string& fault);
};

/**
 * @param options The source of decisions.
 * @return a source of that kind
 */
std::unique_ptr<DecisionSource> MakeDecisionSource(const BridgeOptions& options);

} // namespace ns3

#endif /* DECISION_SOURCE_H */
