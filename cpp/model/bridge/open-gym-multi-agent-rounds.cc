// SPDX-License-Identifier: GPL-2.0-only

// The inner side of OpenGymMultiAgentInterface: rounds, and the end of agents and episodes.

#include "agent-roster.h"
#include "decision-source.h"
#include "lifeline.h"
#include "open-gym-multi-agent-interface.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymMultiAgentRounds");

void
OpenGymMultiAgentInterface::Begin()
{
    if (m_begun)
    {
        return;
    }
    m_begun = true;
    const auto& declared = BridgeOptions::Declared();
    const auto options = declared ? *declared : BridgeOptions::FromEnvironment();
    if (const auto fault = options.FindFault(); !fault.empty())
    {
        Complain(fault);
        EndProcess(2);
    }
    if (!declared && options.lifeline)
    {
        ArmLifeline(*options.lifeline);
    }
    m_simultaneous = options.rounds == "simultaneous";
    m_source = MakeDecisionSource(options);
    m_source->Begin(m_roster->TakeIntroductions());
}

void
OpenGymMultiAgentInterface::EndAt(Time time)
{
    m_lastInstant = m_lastInstant ? std::min(time, *m_lastInstant) : time;
    // What happens at that instant still belongs to the episode.
    Simulator::Stop(*m_lastInstant - Simulator::Now() + TimeStep(1));
}

void
OpenGymMultiAgentInterface::Ask(const AgentStepRecord& step)
{
    if (const auto earlier = WithdrawStep(*step.record))
    {
        // The agent's earlier question of this instant is answered first, which may end it.
        m_round->steps.push_back(*earlier);
        Decide();
        NotifyCurrentState(step.record->agent,
                           step.observation,
                           step.reward,
                           false,
                           step.info,
                           step.actionDelay,
                           step.callback);
        return;
    }
    step.record->lastObservation = step.observation;
    step.record->asks = true;
    m_round->steps.push_back(step);
    if (!m_simultaneous)
    {
        Decide();
    }
    else if (!m_settleEvent.IsPending())
    {
        m_settleEvent = Simulator::ScheduleNow(&OpenGymMultiAgentInterface::Settle, this);
    }
}

void
OpenGymMultiAgentInterface::Settle()
{
    const auto steps = m_round->steps.size();
    m_quietPasses = steps > m_settledSteps ? 0 : m_quietPasses + 1;
    m_settledSteps = steps;
    if (m_quietPasses < m_settlePasses)
    {
        m_settleEvent = Simulator::ScheduleNow(&OpenGymMultiAgentInterface::Settle, this);
    }
    else if (steps > 0)
    {
        Decide();
    }
}

void
OpenGymMultiAgentInterface::Decide()
{
    // What is told next is collected anew, where the round before has left room for it.
    std::swap(m_round, m_decided);
    auto& round = *m_decided;
    m_settledSteps = 0;
    m_quietPasses = 0;
    round.time = Simulator::Now();
    round.joined = m_roster->TakeIntroductions();
    round.communication = m_communicationReporter;
    for (const auto& step : round.steps)
    {
        step.record->asks = false;
        step.record->totalReward += step.reward;
        m_requestTrace(step.record->agent, step.observation, step.reward);
    }
    const auto decision = m_source->Decide(round);
    NS_LOG_LOGIC(round.steps.size() << " agents asked at " << round.time << ", command "
                                    << static_cast<int>(decision.command));
    Apply(round, decision);
    m_decided->Clear();
}

void
OpenGymMultiAgentInterface::Apply(const DecisionRound& round, const Decision& decision)
{
    switch (decision.command)
    {
    case DecisionCommand::STEP:
        for (const auto& order : decision.transfers)
        {
            Transfer(order);
        }
        for (std::size_t i = 0; i < round.steps.size(); ++i)
        {
            Act(round.steps[i], decision.actions[i]);
        }
        break;
    case DecisionCommand::TRUNCATE:
        EndAt(Simulator::Now());
        for (const auto& step : round.steps)
        {
            // The reward has been told with the question.
            EndAgent(*step.record, {step.observation, 0, step.info}, false);
        }
        break;
    case DecisionCommand::STOP:
        m_stopped = true;
        m_source.reset();
        Simulator::Stop();
        break;
    }
}

void
OpenGymMultiAgentInterface::Transfer(const TransferOrder& order)
{
    if (m_transferHandler.IsNull())
    {
        NotifyTransfer(order.number,
                       TransferOutcome::REFUSED,
                       "no application of this simulation takes part in transfers");
        return;
    }
    m_transferHandler(order);
}

void
OpenGymMultiAgentInterface::Act(const AgentStepRecord& step, Ptr<OpenGymDataContainer> action)
{
    ++step.record->decisions;
    m_replyTrace(step.record->agent, action);
    // On the agent's own node: a round of many agents is decided in the context of one of them.
    Simulator::ScheduleWithContext(step.context,
                                   step.actionDelay,
                                   [callback = step.callback, action] { callback(action); });
}

std::optional<AgentStepRecord>
OpenGymMultiAgentInterface::WithdrawStep(AgentRecord& record)
{
    if (!record.asks)
    {
        return std::nullopt;
    }
    record.asks = false;
    auto& steps = m_round->steps;
    const auto found = std::find_if(steps.begin(), steps.end(), [&record](const auto& step) {
        return step.record == &record;
    });
    const auto step = *found;
    steps.erase(found);
    return step;
}

void
OpenGymMultiAgentInterface::EndAgent(AgentRecord& record,
                                     const OpenGymFinalState& state,
                                     bool terminated)
{
    record.phase = terminated ? AgentRecord::Phase::TERMINATED : AgentRecord::Phase::TRUNCATED;
    record.totalReward += state.reward;
    m_round->ended.push_back({&record,
                              state.observation ? state.observation : record.lastObservation,
                              state.reward,
                              state.info,
                              terminated});
    if (m_stopWhenAllAgentsEnded && !m_stopped && m_roster->HaveAllEnded())
    {
        // Other events of this instant may still introduce agents.
        Simulator::ScheduleNow(&OpenGymMultiAgentInterface::StopIfAllEnded, this);
    }
}

void
OpenGymMultiAgentInterface::StopIfAllEnded()
{
    if (m_roster->HaveAllEnded())
    {
        Simulator::Stop();
    }
}

void
OpenGymMultiAgentInterface::End(bool askAgents, double reward, const OpenGymInfo& extraInfo)
{
    const bool nothingToSay = !m_begun && (!askAgents || m_roster->GetIntroducedAgents().empty());
    if (m_stopped || nothingToSay)
    {
        return;
    }
    m_stopped = true;
    if (askAgents)
    {
        Begin();
        m_round->joined = m_roster->TakeIntroductions();
        m_round->communication = m_communicationReporter;
    }
    for (AgentRecord* record : m_roster->GetIntroducedAgents())
    {
        if (record->phase == AgentRecord::Phase::ACTIVE)
        {
            OpenGymFinalState state = GetFinalState(*record, askAgents);
            state.reward += reward;
            state.info.insert(extraInfo.begin(), extraInfo.end());
            EndAgent(*record, state, false);
        }
    }
    // Whoever decides has not heard of an agent that could not be asked for its spaces.
    std::erase_if(m_round->ended, [](const auto& end) { return !end.record->introduced; });
    const Time now = Simulator::Now();
    m_round->time = m_lastInstant ? std::min(now, *m_lastInstant) : now;
    m_source->End(*m_round);
    m_source.reset();
}

OpenGymFinalState
OpenGymMultiAgentInterface::GetFinalState(AgentRecord& record, bool askAgent)
{
    if (const auto step = WithdrawStep(record))
    {
        return {step->observation, step->reward, step->info};
    }
    if (askAgent && !record.getFinalState.IsNull())
    {
        return record.getFinalState();
    }
    return {};
}

} // namespace ns3
