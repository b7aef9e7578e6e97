// SPDX-License-Identifier: GPL-2.0-only

#include "agent-application.h"

#include "message-content.h"

#include "ns3/abort.h"
#include "ns3/application-mover.h"
#include "ns3/boolean.h"
#include "ns3/inference-queue.h"
#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/transfer-service.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AgentApplication");
NS_OBJECT_ENSURE_REGISTERED(AgentApplication);

TypeId
AgentApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<AgentApplication, RlApplication>("ns3::AgentApplication")
            .AddAttribute("MaxObservationHistoryLength",
                          "Number of observations to keep of each observation application.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&AgentApplication::m_maxObservationHistoryLength),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxRewardHistoryLength",
                          "Number of rewards to keep of each reward application.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&AgentApplication::m_maxRewardHistoryLength),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ObservationTimestamping",
                          "Whether to record the simulated time at which observations arrive.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AgentApplication::m_obsTimestamping),
                          MakeBooleanChecker())
            .AddAttribute("RewardTimestamping",
                          "Whether to record the simulated time at which rewards arrive.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AgentApplication::m_rewardTimestamping),
                          MakeBooleanChecker())
            .AddAttribute(
                "StepInterval",
                "Time between two periodic decisions, the first one an interval after the start; "
                "0: none. A decision is skipped while there is no observation yet.",
                TimeValue(Time{}),
                MakeTimeAccessor(&AgentApplication::m_stepInterval),
                MakeTimeChecker(Time{}))
            .AddAttribute("ActionDelay",
                          "Simulated time that a decision takes, in addition to its time in the "
                          "inference queue.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&AgentApplication::m_actionDelay),
                          MakeTimeChecker(Time{}))
            .AddAttribute("Synchronous",
                          "Whether an action is initiated before InferAction() returns, which "
                          "needs an ActionDelay of 0 and no inference queue.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AgentApplication::m_synchronous),
                          MakeBooleanChecker())
            .AddAttribute("InferenceQueue",
                          "Queue for the workers of decisions, which agents may share; null: each "
                          "decision is made at once.",
                          PointerValue(),
                          MakePointerAccessor(&AgentApplication::SetInferenceQueue,
                                              &AgentApplication::GetInferenceQueue),
                          MakePointerChecker<InferenceQueue>())
            .AddTraceSource("Inference",
                            "The agent requests an action.",
                            MakeTraceSourceAccessor(&AgentApplication::m_inferenceTrace),
                            "ns3::AgentApplication::InferenceTracedCallback")
            .AddTraceSource("Action",
                            "The agent has received an action.",
                            MakeTraceSourceAccessor(&AgentApplication::m_actionTrace),
                            "ns3::AgentApplication::ActionTracedCallback");
    return tid;
}

AgentApplication::AgentApplication()
    : RlApplication(ApplicationType::AGENT)
{
}

AgentApplication::~AgentApplication() = default;

void
AgentApplication::DoDispose()
{
    m_stepEvent.Cancel();
    Withdraw();
    m_inferenceQueue = nullptr;
    m_report = nullptr;
    m_mover = nullptr;
    RlApplication::DoDispose();
}

void
AgentApplication::NotifyNewAggregate()
{
    m_mover = PeekPointer(GetObject<ApplicationMover>());
    RlApplication::NotifyNewAggregate();
}

void
AgentApplication::Setup()
{
    const auto isFirst = !IsSetUp();
    RlApplication::Setup();
    if (!isFirst)
    {
        return;
    }
    NS_ABORT_MSG_UNLESS(GetId().IsAssigned(),
                        "An agent has no id: call CommunicationHelper::SetIds() or SetId() "
                        "before it is set up");
    const auto interface = OpenGymMultiAgentInterface::Get();
    const auto name = GetId().ToString();
    const Ptr<AgentApplication> self(this);
    interface->SetGetObservationSpaceCb(name,
                                        MakeCallback(&AgentApplication::GetObservationSpace, self));
    interface->SetGetActionSpaceCb(name, MakeCallback(&AgentApplication::GetActionSpace, self));
    interface->SetFinalStateCb(name, MakeCallback(&AgentApplication::GetFinalState, self));
    interface->SetObservationOriginCb(name,
                                      MakeCallback(&AgentApplication::FindObservationOrigin, self));
    interface->SetWiringFaultCb(name, MakeCallback(&AgentApplication::FindWiringFault, self));
    TransferService::Get()->Add(self);
    if (m_endsAtSetup)
    {
        End(*m_endsAtSetup);
    }
}

void
AgentApplication::StartApplication()
{
    RlApplication::StartApplication();
    if (m_stepInterval.IsStrictlyPositive() && !m_hasEnded)
    {
        m_stepEvent = Simulator::Schedule(m_stepInterval, &AgentApplication::Step, this);
    }
}

void
AgentApplication::StopApplication()
{
    m_stepEvent.Cancel();
    Withdraw();
    RlApplication::StopApplication();
}

void
AgentApplication::Step()
{
    m_stepEvent = Simulator::Schedule(m_stepInterval, &AgentApplication::Step, this);
    if (!IsDeciding() || IsBlocked())
    {
        return;
    }
    m_observation = Observe();
    if (m_observation)
    {
        InferAction();
    }
}

void
AgentApplication::End(bool terminated)
{
    NS_LOG_FUNCTION(this << terminated);
    if (!IsSetUp())
    {
        m_endsAtSetup = m_endsAtSetup.value_or(terminated);
        return;
    }
    if (m_hasEnded)
    {
        return;
    }
    const auto state = GetFinalState();
    m_stepEvent.Cancel();
    OpenGymMultiAgentInterface::Get()->NotifyAgentEnd(GetId().ToString(),
                                                      state.observation,
                                                      state.reward,
                                                      terminated,
                                                      state.info);
}

OpenGymFinalState
AgentApplication::GetFinalState()
{
    m_hasEnded = true;
    TakeInHeldRewards();
    const OpenGymFinalState state{m_observation, std::exchange(m_reward, 0), CollectInfo()};
    Withdraw();
    return state;
}

std::string
AgentApplication::FindWiringFault() const
{
    const auto name = GetId().ToString();
    const bool isReached = MayAskUnconnected() || m_stepInterval.IsStrictlyPositive() ||
                           !GetInterfaces(OBSERVATION).empty() || !GetInterfaces(AGENT).empty();
    if (!m_hasRequested && !isReached)
    {
        return name + " never decided: no observation application and no agent is connected with "
                      "it, and it has no StepInterval: connect one by "
                      "CommunicationHelper::Connect()";
    }
    if (m_hasLostAction)
    {
        return name + " acted without effect: no action application is connected with it: connect "
                      "one by CommunicationHelper::Connect(), or override InitiateAction()";
    }
    return "";
}

void
AgentApplication::OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    if (!m_hasEnded)
    {
        m_heldMessages.emplace_back(remoteId, data);
        TakeInHeld();
    }
    else if (remoteId.applicationType == ApplicationType::REWARD)
    {
        const auto reward = ToNumber(GetContent(data, "reward"));
        OpenGymMultiAgentInterface::Get()->NotifyLateReward(GetId().ToString(), reward.value_or(1));
    }
}

void
AgentApplication::TakeInHeldRewards()
{
    for (const auto& [remoteId, data] : std::exchange(m_heldMessages, {}))
    {
        if (remoteId.applicationType == ApplicationType::REWARD)
        {
            TakeIn(remoteId, data);
        }
    }
}

void
AgentApplication::TakeInHeld()
{
    while (!m_heldMessages.empty() && !IsBlocked())
    {
        const auto [remoteId, data] = m_heldMessages.front();
        m_heldMessages.pop_front();
        const auto outerSender = std::exchange(m_sender, remoteId);
        TakeIn(remoteId, data);
        m_sender = outerSender;
    }
}

void
AgentApplication::Withdraw()
{
    m_heldMessages.clear();
    if (m_inferenceQueue)
    {
        m_inferenceQueue->Cancel(GetId().ToString());
    }
}

void
AgentApplication::TakeIn(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    const auto remoteAppId = remoteId.applicationId;
    switch (remoteId.applicationType)
    {
    case ApplicationType::OBSERVATION:
        m_obsDataStruct.SetHistoryLength(m_maxObservationHistoryLength);
        m_obsDataStruct.SetTrackNs3Time(m_obsTimestamping);
        m_obsDataStruct.Push(data, remoteAppId);
        OnRecvObs(remoteAppId);
        break;
    case ApplicationType::REWARD:
        m_rewardDataStruct.SetHistoryLength(m_maxRewardHistoryLength);
        m_rewardDataStruct.SetTrackNs3Time(m_rewardTimestamping);
        m_rewardDataStruct.Push(data, remoteAppId);
        OnRecvReward(remoteAppId);
        break;
    case ApplicationType::AGENT:
        OnRecvFromAgent(remoteAppId, data);
        break;
    case ApplicationType::ACTION:
    case ApplicationType::TRAINING_SERVER:
        NS_LOG_WARN(GetId() << " ignores a message from " << remoteId);
        break;
    }
}

void
AgentApplication::OnLastInterfaceDeleted(RlApplicationId remoteId)
{
    std::erase_if(m_heldMessages, [remoteId](const auto& held) { return held.first == remoteId; });
    if (remoteId.applicationType == ApplicationType::OBSERVATION)
    {
        m_obsDataStruct.DeleteHistory(remoteId.applicationId);
    }
    else if (remoteId.applicationType == ApplicationType::REWARD)
    {
        m_rewardDataStruct.DeleteHistory(remoteId.applicationId);
    }
}

void
AgentApplication::OnRecvObs(uint32_t remoteAppId)
{
    m_observation = GetContent(m_obsDataStruct.GetNewestByID(remoteAppId)->data);
    if (m_stepInterval.IsZero())
    {
        InferAction();
    }
}

void
AgentApplication::OnRecvReward(uint32_t remoteAppId)
{
    const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
    const auto number = ToNumber(GetContent(message, "reward"));
    NS_ABORT_MSG_UNLESS(number,
                        GetId() << " cannot find the reward in the message " << message
                                << " of reward_" << remoteAppId
                                << ": send one number under the key \"reward\", or override "
                                   "OnRecvReward()");
    NS_ABORT_MSG_UNLESS(std::isfinite(*number),
                        GetId() << " is sent the reward " << *number << " by reward_" << remoteAppId
                                << ": a reward is a finite number");
    m_reward += *number;
}

void
AgentApplication::OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload)
{
    NS_LOG_LOGIC(GetId() << " ignores a message from agent_" << remoteAppId);
}

} // namespace ns3
