// SPDX-License-Identifier: GPL-2.0-only

// The rounds of OpenGymMultiAgentInterface: the end of agents and episodes.

#include "open-gym-multi-agent-rounds.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <functional>

namespace ns3
{

bool
OpenGymMultiAgentInterface::Rounds::IsStopped() const
{
    return m_stopped || (m_lastInstant && Simulator::Now() >= *m_lastInstant);
}

void
OpenGymMultiAgentInterface::Rounds::EndAt(Time time)
{
    m_lastInstant = m_lastInstant ? std::min(time, *m_lastInstant) : time;
    // Events at that instant still belong to the episode.
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
    CheckReward(record, state.reward);
    record.phase = terminated ? AgentRecord::Phase::TERMINATED : AgentRecord::Phase::TRUNCATED;
    record.totalReward += state.reward;
    m_round->ended.push_back({&record,
                              state.observation ? state.observation : record.lastObservation,
                              state.reward,
                              state.info,
                              terminated,
                              GetInstant()});
    AddLags(m_round->ended.back().info);
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
OpenGymMultiAgentInterface::Rounds::End(double reward, const OpenGymInfo& extraInfo)
{
    if (!m_stopped && (m_begun || !m_roster.GetIntroducedAgents().empty()))
    {
        Begin();
        m_round->joined = m_roster.TakeIntroductions();
        m_round->communication = m_interface.m_communicationReporter;
        Close(true, reward, extraInfo);
    }
    else if (AwaitsReport())
    {
        std::for_each(m_round->ended.begin() + m_cutShort, m_round->ended.end(), [&](auto& end) {
            AmendEnd(*end.record, {nullptr, reward, extraInfo}, end.terminated);
        });
    }
    else if (reward != 0 && !m_abandoned)
    {
        ReportError("NotifySimulationEnd() has no agent for the reward " + FormatText(reward) +
                    ": the end of the episode was reported already. Call it once");
    }
    ReportEnd();
}

void
OpenGymMultiAgentInterface::Rounds::EndUnasked()
{
    if (m_begun && !m_stopped)
    {
        Close(false, 0, {});
    }
    m_roster.ForgetCallbacks();
}

void
OpenGymMultiAgentInterface::Rounds::Close(bool askAgents,
                                          double reward,
                                          const OpenGymInfo& extraInfo)
{
    m_stopped = true;
    m_cutShort = m_round->ended.size();
    for (AgentRecord* record : m_roster.GetIntroducedAgents())
    {
        if (record->phase == AgentRecord::Phase::ACTIVE)
        {
            OpenGymFinalState state = GetFinalState(*record, askAgents);
            state.reward += reward;
            state.info.insert(extraInfo.begin(), extraInfo.end());
            EndAgent(*record, state, false);
        }
        if (record->lateRewards > 0)
        {
            m_round->late.push_back({record, record->lateRewards, record->firstLateReward});
        }
    }
    if (reward != 0 && m_cutShort == m_round->ended.size())
    {
        ReportError("NotifySimulationEnd() has no agent for the reward " + FormatText(reward) +
                    ": all agents had ended before");
    }
    // The source of decisions does not know an agent whose spaces could not be read.
    const auto isKnown = [](const auto& end) { return end.record->introduced; };
    const auto first = m_round->ended.begin();
    m_cutShort = std::count_if(first, first + m_cutShort, isKnown);
    std::erase_if(m_round->ended, std::not_fn(isKnown));
    m_round->time = GetInstant();
    if (m_recording)
    {
        // When the end is reported, files are complete.
        Record(m_round->joined, {});
        m_recording->End();
    }
}

bool
OpenGymMultiAgentInterface::Rounds::AwaitsReport() const
{
    return m_stopped && m_source;
}

void
OpenGymMultiAgentInterface::Rounds::ReportEnd()
{
    if (AwaitsReport())
    {
        m_source->End(*m_round);
        m_source.reset();
    }
}

bool
OpenGymMultiAgentInterface::Rounds::AmendEnd(const AgentRecord& record,
                                             const OpenGymFinalState& state,
                                             bool terminated)
{
    if (!AwaitsReport())
    {
        return false;
    }
    const auto found = std::find_if(m_round->ended.begin() + m_cutShort,
                                    m_round->ended.end(),
                                    [&record](const auto& end) { return end.record == &record; });
    if (found == m_round->ended.end())
    {
        return false;
    }
    if (state.observation)
    {
        CheckObservation(*m_roster.Find(record.agent), state.observation);
        found->observation = state.observation;
    }
    found->reward += state.reward;
    CheckReward(record, found->reward);
    found->info.insert(state.info.begin(), state.info.end());
    found->terminated = terminated;
    return true;
}

void
OpenGymMultiAgentInterface::Rounds::NoteLateReward(AgentRecord& record, double reward)
{
    CheckReward(record, reward);
    if (reward == 0 || m_abandoned)
    {
        return;
    }
    if (m_stopped)
    {
        ReportError("agent '" + record.agent + "' is rewarded with " + FormatText(reward) +
                    " after the end of the episode, which is not counted");
        return;
    }
    record.firstLateReward = record.lateRewards++ > 0 ? record.firstLateReward : GetInstant();
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
