// SPDX-License-Identifier: GPL-2.0-only

#include "open-gym-multi-agent-rounds.h"

#include "flow-filter.h"
#include "lifeline.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymMultiAgentRounds");

OpenGymMultiAgentInterface::Rounds::Rounds(OpenGymMultiAgentInterface& interface)
    : m_interface(interface),
      m_round(std::make_unique<DecisionRound>()),
      m_decided(std::make_unique<DecisionRound>())
{
}

void
OpenGymMultiAgentInterface::Rounds::Clear()
{
    m_round->Clear();
    m_decided->Clear();
    m_deferred.clear();
    m_roster = {};
    m_source.reset();
}

void
OpenGymMultiAgentInterface::Rounds::AddTransfer(const TransferReport& report)
{
    m_round->transfers.push_back(report);
    if (m_recording)
    {
        m_recording->NoteTransfer(report);
    }
}

void
OpenGymMultiAgentInterface::Rounds::Begin()
{
    if (m_begun)
    {
        return;
    }
    m_begun = true;
    ReportLateEnd();
    const auto& declared = BridgeOptions::Declared();
    const auto options = declared ? *declared : BridgeOptions::FromEnvironment();
    if (const auto fault = options.FindFault(); !fault.empty())
    {
        ReportError(fault);
        EndProcess(2);
    }
    if (!declared && options.lifeline)
    {
        ArmLifeline(*options.lifeline);
    }
    m_simultaneous = options.rounds == "simultaneous";
    m_interface.m_checkBounds = options.checkBounds.value_or(m_interface.m_checkBounds);
    m_recording = EpisodeRecording::Find();
    if (m_recording)
    {
        m_recording->Begin();
    }
    FlowFilter::InstallEverywhere(); // the network exists now
    m_source = MakeDecisionSource(options);
    m_clock = RealTimeClock::Start([this](const auto& fault) {
        m_source->Fail(defiance::v1::Failure::CODE_REAL_TIME_LOST, fault);
    });
    const auto agents = m_roster.TakeIntroductions();
    Record(agents, {});
    m_source->Begin(agents);
}

void
OpenGymMultiAgentInterface::Rounds::Record(const std::vector<const AgentRecord*>& joined,
                                           const std::vector<AgentStepRecord>& steps) const
{
    if (!m_recording)
    {
        return;
    }
    for (const auto* agent : joined)
    {
        m_recording->NoteEvent(Simulator::Now(), "joined", agent->agent, "");
    }
    for (const auto& step : steps)
    {
        if (step.record->decisions == 0)
        {
            m_recording->GetApplications().AddAgent(step.record->agent, step.context);
        }
    }
    m_recording->Update();
}

void
OpenGymMultiAgentInterface::Rounds::CheckObservation(AgentRecord& record,
                                                     Ptr<const OpenGymDataContainer> observation)
{
    const auto fault =
        m_roster.FindObservationFault(record, observation, m_interface.m_checkBounds);
    if (!fault.empty())
    {
        NS_ABORT_MSG_UNLESS(m_source, fault);
        m_source->Fail(defiance::v1::Failure::CODE_INVALID_OBSERVATION, fault);
    }
}

void
OpenGymMultiAgentInterface::Rounds::CheckReward(const AgentRecord& record, double reward) const
{
    if (std::isfinite(reward))
    {
        return;
    }
    std::ostringstream text;
    text << "the reward of agent '" << record.agent << "' is " << reward
         << ", but must be a finite number";
    NS_ABORT_MSG_UNLESS(m_source, text.str());
    m_source->Fail(defiance::v1::Failure::CODE_INVALID_REWARD, text.str());
}

void
OpenGymMultiAgentInterface::Rounds::Ask(AgentStepRecord step)
{
    CheckReward(*step.record, step.reward);
    step.record->lastObservation = step.observation;
    if (step.record->asks)
    {
        m_deferred.push_back(std::move(step));
        return;
    }
    AddLags(step.info);
    step.record->asks = true;
    m_round->steps.push_back(std::move(step));
    if (!m_simultaneous)
    {
        DecideRound();
    }
    else if (!m_settleEvent.IsPending())
    {
        m_settleEvent = Simulator::ScheduleNow(&Rounds::Settle, this);
    }
}

void
OpenGymMultiAgentInterface::Rounds::Settle()
{
    if (IsStopped())
    {
        EndWaiting();
        return;
    }
    const auto steps = m_round->steps.size();
    m_quietPasses = steps > m_settledSteps ? 0 : m_quietPasses + 1;
    m_settledSteps = steps;
    if (m_quietPasses < m_interface.m_settlePasses)
    {
        m_settleEvent = Simulator::ScheduleNow(&Rounds::Settle, this);
    }
    else if (steps > 0)
    {
        DecideRound();
    }
}

void
OpenGymMultiAgentInterface::Rounds::DecideRound()
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
    for (auto& step : std::exchange(m_deferred, {}))
    {
        Ask(std::move(step));
    }
}

Ptr<OpenGymDataContainer>
OpenGymMultiAgentInterface::Rounds::DecideAlone(AgentStepRecord step)
{
    CheckReward(*step.record, step.reward);
    m_waiting.swap(m_round->steps);
    step.record->lastObservation = step.observation;
    AddLags(step.info);
    m_round->steps.push_back(std::move(step));
    const auto decision = Decide();
    Ptr<OpenGymDataContainer> action;
    if (Apply(*m_decided, decision))
    {
        action = decision.actions.front();
        RecordAction(m_decided->steps.front(), action);
    }
    m_decided->Clear();
    m_round->steps.insert(m_round->steps.begin(),
                          std::make_move_iterator(m_waiting.begin()),
                          std::make_move_iterator(m_waiting.end()));
    m_waiting.clear();
    return action;
}

void
OpenGymMultiAgentInterface::Rounds::AddLags(OpenGymInfo& info) const
{
    if (m_clock)
    {
        m_clock->AddTo(info);
    }
}

Decision
OpenGymMultiAgentInterface::Rounds::Decide()
{
    // Collect the next reports in the memory of the previous round.
    std::swap(m_round, m_decided);
    auto& round = *m_decided;
    round.time = Simulator::Now();
    round.joined = m_roster.TakeIntroductions();
    round.communication = m_interface.m_communicationReporter;
    for (const auto& step : round.steps)
    {
        step.record->asks = false;
        step.record->totalReward += step.reward;
        m_interface.m_requestTrace(step.record->agent, step.observation, step.reward);
    }
    Record(round.joined, round.steps);
    auto decision = m_source->Decide(round);
    if (m_clock)
    {
        m_clock->BeginRound();
    }
    NS_LOG_LOGIC(round.steps.size() << " agents asked at " << round.time << ", command "
                                    << static_cast<int>(decision.command));
    return decision;
}

bool
OpenGymMultiAgentInterface::Rounds::Apply(const DecisionRound& round, const Decision& decision)
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
            // The reward has been reported with the request; deferred rewards have not.
            const auto last = WithdrawSteps(*step.record);
            EndAgent(*step.record,
                     last ? OpenGymFinalState{last->observation, last->reward, last->info}
                          : OpenGymFinalState{step.observation, 0, step.info},
                     false);
        }
        return false;
    case DecisionCommand::STOP:
        m_stopped = true;
        m_abandoned = true;
        m_deferred.clear();
        m_source.reset();
        if (m_recording)
        {
            m_recording->End();
        }
        Simulator::Stop();
        return false;
    }
    return false;
}

void
OpenGymMultiAgentInterface::Rounds::Transfer(const TransferOrder& order)
{
    if (m_recording)
    {
        m_recording->NoteTransfer(order);
    }
    if (m_interface.m_transferHandler.IsNull())
    {
        m_interface.NotifyTransfer(order.number,
                                   TransferOutcome::REFUSED,
                                   "no application of this simulation takes part in transfers");
        return;
    }
    m_interface.m_transferHandler(order);
}

void
OpenGymMultiAgentInterface::Rounds::RecordAction(const AgentStepRecord& step,
                                                 Ptr<const OpenGymDataContainer> action)
{
    ++step.record->decisions;
    m_interface.m_replyTrace(step.record->agent, action);
}

void
OpenGymMultiAgentInterface::Rounds::Act(const AgentStepRecord& step,
                                        Ptr<OpenGymDataContainer> action)
{
    RecordAction(step, action);
    // Act in the context of the agent's own node: a round runs in the context of one of its agents.
    Simulator::ScheduleWithContext(step.context,
                                   step.actionDelay,
                                   [callback = step.callback, action] { callback(action); });
}

} // namespace ns3
