// SPDX-License-Identifier: GPL-2.0-only

// The rounds of OpenGymMultiAgentInterface: the end of agents and episodes.

#include "open-gym-multi-agent-rounds.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <vector>

namespace ns3
{

bool
OpenGymMultiAgentInterface::Rounds::IsOver() const
{
    return m_stopped;
}

bool
OpenGymMultiAgentInterface::Rounds::IsStopped() const
{
    return m_stopped || (m_lastInstant && Simulator::Now() >= *m_lastInstant);
}

void
OpenGymMultiAgentInterface::Rounds::EndAt(Time time)
{
    m_lastInstant = m_lastInstant ? std::min(time, *m_lastInstant) : time;
    // What happens at that instant still belongs to the episode.
    Simulator::Stop(*m_lastInstant - Simulator::Now() + TimeStep(1));
}

void
OpenGymMultiAgentInterface::Rounds::EndWaiting()
{
    while (!m_round->steps.empty())
    {
        auto& record = *m_round->steps.front().record;
        const auto step = WithdrawSteps(record);
        EndAgent(record, {step->observation, step->reward, step->info}, false);
    }
}

std::optional<AgentStepRecord>
OpenGymMultiAgentInterface::Rounds::WithdrawSteps(AgentRecord& record)
{
    std::optional<AgentStepRecord> last;
    if (!record.asks && m_deferred.empty())
    {
        return last;
    }
    for (auto* steps : {&m_round->steps, &m_deferred})
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
OpenGymMultiAgentInterface::Rounds::GetInstant() const
{
    const Time now = Simulator::Now();
    return m_lastInstant ? std::min(now, *m_lastInstant) : now;
}

void
OpenGymMultiAgentInterface::Rounds::EndAgent(AgentRecord& record,
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
    if (m_recording)
    {
        m_recording->NoteEvent(GetInstant(),
                               "ended",
                               record.agent,
                               terminated ? "terminated" : "truncated");
    }
    if (m_interface.m_stopWhenAllAgentsEnded && !m_stopped && m_roster.HaveAllEnded())
    {
        // Other events of this instant may still introduce agents.
        Simulator::ScheduleNow(&Rounds::StopIfAllEnded, this);
    }
}

void
OpenGymMultiAgentInterface::Rounds::StopIfAllEnded()
{
    if (m_roster.HaveAllEnded())
    {
        Simulator::Stop();
    }
}

void
OpenGymMultiAgentInterface::Rounds::End(bool askAgents, double reward, const OpenGymInfo& extraInfo)
{
    const bool nothingToSay = !m_begun && (!askAgents || m_roster.GetIntroducedAgents().empty());
    if (m_stopped || nothingToSay)
    {
        return;
    }
    m_stopped = true;
    if (askAgents)
    {
        Begin();
        m_round->joined = m_roster.TakeIntroductions();
        m_round->communication = m_interface.m_communicationReporter;
    }
    for (AgentRecord* record : m_roster.GetIntroducedAgents())
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
    if (m_recording)
    {
        // Whoever hears of the end finds the files complete.
        Record(m_round->joined, {});
        m_recording->End();
    }
    m_source->End(*m_round);
    m_source.reset();
}

OpenGymFinalState
OpenGymMultiAgentInterface::Rounds::GetFinalState(AgentRecord& record, bool askAgent)
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
