// SPDX-License-Identifier: GPL-2.0-only

#ifndef DECISION_SOURCE_H
#define DECISION_SOURCE_H

#include "agent-roster.h"
#include "bridge-options.h"

#include "ns3/callback.h"
#include "ns3/communication-report.h"
#include "ns3/transfer.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief An agent asks for a decision.
 */
struct AgentStepRecord
{
    AgentRecord* record;                                //!< The agent
    Ptr<OpenGymDataContainer> observation;              //!< Its observation
    double reward;                                      //!< Reward since its last decision
    OpenGymInfo info;                                   //!< The info beside it
    Time actionDelay;                                   //!< From now to the action
    Callback<void, Ptr<OpenGymDataContainer>> callback; //!< Takes the action
    uint32_t context;                                   //!< Node on which the agent lives
};

/**
 * @brief An agent has decided for the last time.
 */
struct AgentEndRecord
{
    const AgentRecord* record;             //!< The agent
    Ptr<OpenGymDataContainer> observation; //!< Last thing it sees; may be null
    double reward;                         //!< Reward since its last decision
    OpenGymInfo info;                      //!< The info beside it
    bool terminated;                       //!< Whether its task ended, rather than being cut short
    Time time;                             //!< When
};

/**
 * @brief An agent was given rewards after its end.
 */
struct LateRewardRecord
{
    const AgentRecord* record; //!< The agent
    uint64_t count;            //!< Number of rewards
    Time first;                //!< When the first one came
};

/**
 * @brief The message to the source of decisions, at one instant.
 */
struct DecisionRound
{
    Time time;                             //!< The instant
    std::vector<AgentIntroduction> joined; //!< Agents introduced since the last round
    std::vector<AgentEndRecord> ended;     //!< Agents ended since the last round
    std::vector<AgentStepRecord> steps;    //!< Agents that ask
    std::vector<TransferReport> transfers; //!< Transfers finished since the last round
    std::vector<LateRewardRecord> late;    //!< At the end: rewards that came too late
    CommunicationReporter communication;   //!< Knows what has been sent; null: nobody does

    /** Forget everything but the room that it took. */
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
    DecisionCommand command{DecisionCommand::STEP}; //!< How the simulation continues
    std::vector<Ptr<OpenGymDataContainer>> actions; //!< One per step of the round if it continues
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
    virtual void Begin(const std::vector<AgentIntroduction>& agents) = 0;

    /**
     * Decide for the agents that ask.
     *
     * @param round The agents' observations, and other news.
     * @return the decision
     */
    virtual Decision Decide(const DecisionRound& round) = 0;

    /**
     * End the episode.
     *
     * @param round The news since the last round; nobody asks.
     */
    virtual void End(const DecisionRound& round) = 0;

    /**
     * End the process because of an observation that is not of its agent's space; by default abort,
     * where a debugger sees who has asked.
     *
     * @param fault The fault.
     */
    virtual void RefuseObservation(const std::string& fault);

    /**
     * End the process because of a reward that is not a finite number; by default abort, as above.
     *
     * @param fault The fault.
     */
    virtual void RefuseReward(const std::string& fault);

    /**
     * End the process because the scenario's own code has failed; by default with exit status 1.
     *
     * @param fault How it has failed.
     */
    [[noreturn]] virtual void FailScenario(const std::string& fault);

    /**
     * Say that the simulation is too far behind real time, and end the process.
     *
     * @param fault How far.
     */
    [[noreturn]] virtual void FailRealTime(const std::string& fault);
};

/**
 * @param options The source of decisions.
 * @return a source of decisions of that kind
 */
std::unique_ptr<DecisionSource> MakeDecisionSource(const BridgeOptions& options);

} // namespace ns3

#endif /* DECISION_SOURCE_H */
