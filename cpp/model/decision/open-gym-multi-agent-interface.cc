// SPDX-License-Identifier: GPL-2.0-only

#include "open-gym-multi-agent-interface.h"

#include "open-gym-multi-agent-rounds.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymMultiAgentInterface");

NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiAgentInterface);

namespace
{

Ptr<OpenGymMultiAgentInterface> g_interface; //!< The interface of this simulation

/// The interface of an episode that Simulator::Destroy() has ended; null after its report.
Ptr<OpenGymMultiAgentInterface> g_ended;

} // namespace

TypeId
OpenGymMultiAgentInterface::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<OpenGymMultiAgentInterface, Object>("ns3::OpenGymMultiAgentInterface")
            .AddAttribute(
                "StopWhenAllAgentsEnded",
                "Whether the simulation stops when the last of its agents ends.",
                BooleanValue(true),
                MakeBooleanAccessor(&OpenGymMultiAgentInterface::m_stopWhenAllAgentsEnded),
                MakeBooleanChecker())
            .AddAttribute(
                "SettlePasses",
                "In simultaneous rounds: number of passes through the events of an instant without "
                "a further request, after which the requests are sent. Agents reached by this many "
                "consecutive messages without delay still belong to the round.",
                UintegerValue(4),
                MakeUintegerAccessor(&OpenGymMultiAgentInterface::m_settlePasses),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CheckBounds",
                          "Observations that are compared with the bounds of their space. Python's "
                          "argument check_bounds has precedence.",
                          EnumValue(BoundsCheck::AUTOMATIC),
                          MakeEnumAccessor<BoundsCheck>(&OpenGymMultiAgentInterface::m_checkBounds),
                          MakeEnumChecker(BoundsCheck::AUTOMATIC,
                                          "AUTOMATIC",
                                          BoundsCheck::ALWAYS,
                                          "ALWAYS",
                                          BoundsCheck::NEVER,
                                          "NEVER"))
            .AddTraceSource("Request",
                            "An agent requests a decision.",
                            MakeTraceSourceAccessor(&OpenGymMultiAgentInterface::m_requestTrace),
                            "ns3::OpenGymMultiAgentInterface::RequestTracedCallback")
            .AddTraceSource("Reply",
                            "A decision has been made for an agent; it acts after its delay.",
                            MakeTraceSourceAccessor(&OpenGymMultiAgentInterface::m_replyTrace),
                            "ns3::OpenGymMultiAgentInterface::ReplyTracedCallback");
    return tid;
}

Ptr<OpenGymMultiAgentInterface>
OpenGymMultiAgentInterface::Get()
{
    if (!g_interface)
    {
        g_interface = CreateObject<OpenGymMultiAgentInterface>();
        Simulator::ScheduleDestroy([] {
            ReportLateEnd();
            g_ended = std::exchange(g_interface, nullptr);
            // The nodes may be destroyed already, and the agents with them.
            g_ended->m_rounds->EndUnasked();
            if (!g_ended->m_rounds->AwaitsReport() || std::atexit(&ReportLateEnd) != 0)
            {
                ReportLateEnd();
            }
        });
    }
    return g_interface;
}

void
OpenGymMultiAgentInterface::ReportLateEnd()
{
    if (const auto ended = std::exchange(g_ended, nullptr))
    {
        ended->m_rounds->ReportEnd();
        ended->Dispose();
    }
}

Ptr<OpenGymMultiAgentInterface>
OpenGymMultiAgentInterface::FindEnded() const
{
    const bool isNew = m_rounds->GetRoster().GetIntroducedAgents().empty();
    return isNew && g_ended != this ? g_ended : nullptr;
}

OpenGymMultiAgentInterface::OpenGymMultiAgentInterface()
    : m_rounds(std::make_unique<Rounds>(*this))
{
}

OpenGymMultiAgentInterface::~OpenGymMultiAgentInterface() = default;

void
OpenGymMultiAgentInterface::DoDispose()
{
    m_rounds->Clear();
    m_transferHandler = {};
    Object::DoDispose();
}

void
OpenGymMultiAgentInterface::SetGetObservationSpaceCb(const std::string& agentId,
                                                     Callback<Ptr<OpenGymSpace>> callback)
{
    auto& record = m_rounds->GetRoster().GetNew(agentId);
    record.getObservations = callback;
    m_rounds->GetRoster().IntroduceIfComplete(record);
}

void
OpenGymMultiAgentInterface::SetGetActionSpaceCb(const std::string& agentId,
                                                Callback<Ptr<OpenGymSpace>> callback)
{
    auto& record = m_rounds->GetRoster().GetNew(agentId);
    record.getActions = callback;
    m_rounds->GetRoster().IntroduceIfComplete(record);
}

void
OpenGymMultiAgentInterface::SetFinalStateCb(const std::string& agentId,
                                            Callback<OpenGymFinalState> callback)
{
    m_rounds->GetRoster().GetOrAdd(agentId).getFinalState = callback;
}

void
OpenGymMultiAgentInterface::SetWiringFaultCb(const std::string& agentId,
                                             Callback<std::string> callback)
{
    m_rounds->GetRoster().GetOrAdd(agentId).findWiringFault = callback;
}

void
OpenGymMultiAgentInterface::SetSilenceCb(const std::string& agentId, Callback<std::string> callback)
{
    m_rounds->GetRoster().GetOrAdd(agentId).findSilence = callback;
}

void
OpenGymMultiAgentInterface::SetObservationOriginCb(const std::string& agentId,
                                                   Callback<std::string> callback)
{
    m_rounds->GetRoster().GetOrAdd(agentId).findObservationOrigin = callback;
}

void
OpenGymMultiAgentInterface::NotifyTransfer(uint64_t number,
                                           TransferOutcome outcome,
                                           const std::string& reason)
{
    NS_LOG_FUNCTION(this << number << static_cast<int>(outcome) << reason);
    if (!m_rounds->IsOver())
    {
        m_rounds->AddTransfer({number, outcome, reason, Simulator::Now()});
    }
}

bool
OpenGymMultiAgentInterface::HasEnded(const std::string& agentId) const
{
    const AgentRecord* record = m_rounds->GetRoster().Find(agentId);
    return record && record->phase != AgentRecord::Phase::ACTIVE;
}

bool
OpenGymMultiAgentInterface::IsStopped() const
{
    return m_rounds->IsStopped();
}

void
OpenGymMultiAgentInterface::NotifyCurrentState(
    const std::string& agentId,
    Ptr<OpenGymDataContainer> observation,
    double reward,
    bool isGameOver,
    OpenGymInfo extraInfo,
    Time actionDelay,
    Callback<void, Ptr<OpenGymDataContainer>> actionCallback)
{
    NS_LOG_FUNCTION(this << agentId << observation << reward << isGameOver << actionDelay);
    if (isGameOver || IsStopped())
    {
        NotifyAgentEnd(agentId, observation, reward, isGameOver, extraInfo);
        return;
    }
    NS_ABORT_MSG_IF(actionCallback.IsNull() || actionDelay.IsStrictlyNegative(),
                    "Agent '" << agentId
                              << "' needs an action callback and a nonnegative delay, not "
                              << actionDelay);
    if (AgentRecord* record = FindAsking(agentId, observation, reward))
    {
        m_rounds->Ask({record,
                       observation,
                       reward,
                       std::move(extraInfo),
                       actionDelay,
                       std::move(actionCallback),
                       Simulator::GetContext()});
    }
}

Ptr<OpenGymDataContainer>
OpenGymMultiAgentInterface::RequestAction(const std::string& agentId,
                                          Ptr<OpenGymDataContainer> observation,
                                          double reward,
                                          OpenGymInfo extraInfo)
{
    NS_LOG_FUNCTION(this << agentId << observation << reward);
    while (m_rounds->GetRoster().GetIntroduced(agentId).asks)
    {
        m_rounds->DecideRound();
    }
    if (IsStopped())
    {
        NotifyAgentEnd(agentId, observation, reward, false, extraInfo);
        return nullptr;
    }
    AgentRecord* record = FindAsking(agentId, observation, reward);
    if (!record)
    {
        return nullptr;
    }
    return m_rounds->DecideAlone(
        {record, observation, reward, std::move(extraInfo), Time(0), {}, 0});
}

AgentRecord*
OpenGymMultiAgentInterface::FindAsking(const std::string& agentId,
                                       Ptr<OpenGymDataContainer> observation,
                                       double reward)
{
    auto& record = m_rounds->GetRoster().GetIntroduced(agentId);
    if (record.phase != AgentRecord::Phase::ACTIVE)
    {
        NS_LOG_WARN("Agent '" << agentId << "' has ended and cannot request a decision");
        m_rounds->NoteLateReward(record, reward);
        return nullptr;
    }
    NS_ABORT_MSG_IF(!observation,
                    "Agent '" << agentId << "' requests a decision without an observation");
    m_rounds->Begin();
    m_rounds->CheckObservation(record, observation);
    return &record;
}

void
OpenGymMultiAgentInterface::NotifyAgentEnd(const std::string& agentId,
                                           Ptr<OpenGymDataContainer> observation,
                                           double reward,
                                           bool terminated,
                                           const OpenGymInfo& info)
{
    NS_LOG_FUNCTION(this << agentId << observation << reward << terminated);
    if (const auto ended = FindEnded())
    {
        ended->NotifyAgentEnd(agentId, observation, reward, terminated, info);
        return;
    }
    auto& record = m_rounds->GetRoster().GetIntroduced(agentId);
    if (m_rounds->AmendEnd(record, {observation, reward, info}, terminated))
    {
        return;
    }
    if (m_rounds->IsOver() || record.phase != AgentRecord::Phase::ACTIVE)
    {
        NS_LOG_WARN("Agent '" << agentId << "' has ended and cannot end again");
        m_rounds->NoteLateReward(record, reward);
        return;
    }
    const auto asked = m_rounds->WithdrawSteps(record);
    m_rounds->EndAgent(record,
                       {observation, reward + (asked ? asked->reward : 0), info},
                       terminated);
}

void
OpenGymMultiAgentInterface::NotifyLateReward(const std::string& agentId, double reward)
{
    NS_LOG_FUNCTION(this << agentId << reward);
    m_rounds->NoteLateReward(m_rounds->GetRoster().GetIntroduced(agentId), reward);
}

void
OpenGymMultiAgentInterface::NotifySimulationEnd(double reward, const OpenGymInfo& extraInfo)
{
    NS_LOG_FUNCTION(this << reward);
    if (const auto ended = FindEnded())
    {
        ended->NotifySimulationEnd(reward, extraInfo);
        ReportLateEnd();
        return;
    }
    m_rounds->End(reward, extraInfo);
}

} // namespace ns3
