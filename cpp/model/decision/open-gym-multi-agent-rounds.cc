// SPDX-License-Identifier: GPL-2.0-only

// The inner side of OpenGymMultiAgentInterface: rounds, and the end of agents and episodes.

#include "agent-roster.h"
#include "decision-source.h"
#include "lifeline.h"
#include "open-gym-multi-agent-interface.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

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
    m_checkBounds = options.checkBounds.value_or(m_checkBounds);
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
OpenGymMultiAgentInterface::CheckObservation(AgentRecord& record,
                                             Ptr<const OpenGymDataContainer> observation)
{
    const auto fault = m_roster->FindObservationFault(record, observation, m_checkBounds);
    if (!fault.empty())
    {
        NS_ABORT_MSG_UNLESS(m_source, fault);
        m_source->RefuseObservation(fault);
    }
}

void
OpenGymMultiAgentInterface::Ask(const AgentStepRecord& step)
{
    step.record->lastObservation = step.observation;
    if (step.record->asks)
    {
        m_putOff.push_back(step);
        return;
    }
    step.record->asks = true;
    m_round->steps.push_back(step);
    if (!m_simultaneous)
    {
        DecideRound();
    }
    else if (!m_settleEvent.IsPending())
    {
        m_settleEvent = Simulator::ScheduleNow(&OpenGymMultiAgentInterface::Settle, this);
    }
}

void
OpenGymMultiAgentInterface::Settle()
{
    if (IsStopped())
    {
        EndWaiting();
        return;
    }
    const auto steps = m_round->steps.size();
    m_quietPasses = steps > m_settledSteps ? 0 : m_quietPasses + 1;
    m_settledSteps = steps;
    if (m_quietPasses < m_settlePasses)
    {
        m_settleEvent = Simulator::ScheduleNow(&OpenGymMultiAgentInterface::Settle, this);
    }
    else if (steps > 0)
    {
        DecideRound();
    }
}

void
OpenGymMultiAgentInterface::EndWaiting()
{
    while (!m_round->steps.empty())
    {
        auto& record = *m_round->steps.front().record;
        const auto step = WithdrawSteps(record);
        EndAgent(record, {step->observation, step->reward, step->info}, false);
    }
}

void
OpenGymMultiAgentInterface::DecideRound()
{
    m_settledSteps = 0;
    m_quietPasses = 0;
    const auto decision = Decide();
    if (Apply(*m_decided, decision))
    {
        for (std::size_t i = 0; i < m_decided->steps.size(); ++i)
        {
            Act(m_decided->steps[i], decision.actions[i]);
        }
    }
    m_decided->Clear();
    for (const auto& step : std::exchange(m_putOff, {}))
    {
        Ask(step);
    }
}

Ptr<OpenGymDataContainer>
OpenGymMultiAgentInterface::DecideAlone(const AgentStepRecord& step)
{
    m_waiting.swap(m_round->steps);
    m_round->steps.push_back(step);
    step.record->lastObservation = step.observation;
    const auto decision = Decide();
    Ptr<OpenGymDataContainer> action;
    if (Apply(*m_decided, decision))
    {
        action = decision.actions.front();
        NoteAction(step, action);
    }
    m_decided->Clear();
    m_round->steps.insert(m_round->steps.begin(), m_waiting.begin(), m_waiting.end());
    m_waiting.clear();
    return action;
}

Decision
OpenGymMultiAgentInterface::Decide()
{
    // What is told next is collected anew, where the round before has left room for it.
    std::swap(m_round, m_decided);
    auto& round = *m_decided;
    round.time = Simulator::Now();
    round.joined = m_roster->TakeIntroductions();
    round.communication = m_communicationReporter;
    for (const auto& step : round.steps)
    {
        step.record->asks = false;
        step.record->totalReward += step.reward;
        m_requestTrace(step.record->agent, step.observation, step.reward);
    }
    auto decision = m_source->Decide(round);
    NS_LOG_LOGIC(round.steps.size() << " agents asked at " << round.time << ", command "
                                    << static_cast<int>(decision.command));
    return decision;
}

bool
OpenGymMultiAgentInterface::Apply(const DecisionRound& round, const Decision& decision)
{
    switch (decision.command)
    {
    case DecisionCommand::STEP:
        for (const auto& order : decision.transfers)
        {
            Transfer(order);
        }
        return true;
    case DecisionCommand::TRUNCATE:
        EndAt(Simulator::Now());
        for (const auto& step : round.steps)
        {
            // The reward has been told with the question; what was put off has not.
            const auto last = WithdrawSteps(*step.record);
            EndAgent(*step.record,
                     last ? OpenGymFinalState{last->observation, last->reward, last->info}
                          : OpenGymFinalState{step.observation, 0, step.info},
                     false);
        }
        return false;
    case DecisionCommand::STOP:
        m_stopped = true;
        m_putOff.clear();
        m_source.reset();
        Simulator::Stop();
        return false;
    }
    return false;
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
OpenGymMultiAgentInterface::NoteAction(const AgentStepRecord& step,
                                       Ptr<const OpenGymDataContainer> action)
{
    ++step.record->decisions;
    m_replyTrace(step.record->agent, action);
}

void
OpenGymMultiAgentInterface::Act(const AgentStepRecord& step, Ptr<OpenGymDataContainer> action)
{
    NoteAction(step, action);
    // On the agent's own node: a round of many agents is decided in the context of one of them.
    Simulator::ScheduleWithContext(step.context,
                                   step.actionDelay,
                                   [callback = step.callback, action] { callback(action); });
}

std::optional<AgentStepRecord>
OpenGymMultiAgentInterface::WithdrawSteps(AgentRecord& record)
{
    std::optional<AgentStepRecord> last;
    if (!record.asks && m_putOff.empty())
    {
        return last;
    }
    for (auto* steps : {&m_round->steps, &m_putOff})
    {
        std::erase_if(*steps, [&](AgentStepRecord& step) {
            if (step.record != &record)
            {
                return false;
            }
            step.reward += last ? last->reward : 0;
            last = step;
            return true;
        });
    }
    record.asks = false;
    return last;
}

Time
OpenGymMultiAgentInterface::GetInstant() const
{
    const Time now = Simulator::Now();
    return m_lastInstant ? std::min(now, *m_lastInstant) : now;
}

void
OpenGymMultiAgentInterface::EndAgent(AgentRecord& record,
                                     const OpenGymFinalState& state,
                                     bool terminated)
{
    if (state.observation)
    {
        CheckObservation(record, state.observation);
    }
    record.phase = terminated ? AgentRecord::Phase::TERMINATED : AgentRecord::Phase::TRUNCATED;
    record.totalReward += state.reward;
    m_round->ended.push_back({&record,
                              state.observation ? state.observation : record.lastObservation,
                              state.reward,
                              state.info,
                              terminated,
                              GetInstant()});
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
    m_round->time = GetInstant();
    m_source->End(*m_round);
    m_source.reset();
}

OpenGymFinalState
OpenGymMultiAgentInterface::GetFinalState(AgentRecord& record, bool askAgent)
{
    if (const auto step = WithdrawSteps(record))
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
