// SPDX-License-Identifier: GPL-2.0-only

// The path of an AgentApplication from observation to action.

#include "agent-application.h"

#include "ns3/abort.h"
#include "ns3/application-mover.h"
#include "ns3/communication-statistics.h"
#include "ns3/inference-queue.h"
#include "ns3/log.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <memory>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AgentInference");

struct AgentApplication::QueuedDecision : std::enable_shared_from_this<QueuedDecision>
{
    /// Request the action. @param waited waiting time of the job
    void Start(Time waited)
    {
        if (!agent->CanRequest())
        {
            NS_LOG_LOGIC(agent->GetId() << " does not decide any more");
            return;
        }
        agent->Ask(observation,
                   waited,
                   Time{},
                   [decision = shared_from_this()](Ptr<OpenGymDataContainer> action) {
                       decision->action = action;
                       decision->Act();
                   });
    }

    /// Start the action delay when all its inputs are known
    void Act()
    {
        // Within one instant, the end of the service and the action may occur in either order.
        if (!isServed || !action)
        {
            return;
        }
        const auto delay = agent->GetActionDelay();
        NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                        agent->GetId()
                            << " cannot act " << delay.As(Time::S) << " after its decision");
        if (delay.IsZero())
        {
            // Act at once, so that the next decision of this instant comes after the action.
            callback(action);
            return;
        }
        Simulator::Schedule(delay, [decision = shared_from_this()] {
            decision->callback(decision->action);
        });
    }

    Ptr<AgentApplication> agent;           //!< The source of decisions
    Ptr<OpenGymDataContainer> observation; //!< Observation at the submission of the job
    ActionCallback callback;               //!< Takes the action
    Ptr<OpenGymDataContainer> action;      //!< The action, once it is known
    bool isServed{false};                  //!< The worker is done
};

void
AgentApplication::SetInferenceQueue(Ptr<InferenceQueue> queue)
{
    NS_ABORT_MSG_IF(IsSetUp() && m_inferenceQueue && queue != m_inferenceQueue,
                    GetId() << " cannot leave its InferenceQueue, which may have jobs of the "
                               "agent; change the attributes of the queue instead");
    m_inferenceQueue = queue;
}

Ptr<OpenGymDataContainer>
AgentApplication::RequestAction()
{
    NS_LOG_FUNCTION(this);
    const auto action = CanRequest() ? RequestAndWait() : nullptr;
    if (action)
    {
        m_actionTrace(action);
    }
    return action;
}

Ptr<OpenGymDataContainer>
AgentApplication::RequestAndWait()
{
    NS_ABORT_MSG_IF(m_inferenceQueue || !GetActionDelay().IsZero(),
                    GetId() << " must decide within a call, in which no simulated time passes: it "
                               "can have neither an InferenceQueue nor an ActionDelay");
    RequireObservation();
    m_hasRequested = true;
    const auto reward = std::exchange(m_reward, 0);
    m_inferenceTrace(m_observation, reward);
    return OpenGymMultiAgentInterface::Get()->RequestAction(GetId().ToString(),
                                                            m_observation,
                                                            reward,
                                                            CollectInfo());
}

void
AgentApplication::RequireObservation() const
{
    NS_ABORT_MSG_IF(!m_observation,
                    GetId() << " cannot decide without an observation: set m_observation before "
                               "InferAction() or RequestAction()");
}

void
AgentApplication::InferAction(uint32_t remoteAppId)
{
    GetInterfaces(RlApplicationId{ApplicationType::ACTION, remoteAppId});
    Infer(MakeCallback(&AgentApplication::TakeActionForApp, Ptr<AgentApplication>(this))
              .Bind(remoteAppId));
}

void
AgentApplication::Infer(ActionCallback callback)
{
    NS_LOG_FUNCTION(this);
    if (!CanRequest())
    {
        NS_LOG_LOGIC(GetId() << " does not decide: it does not run, or has ended");
        return;
    }
    RequireObservation();
    if (m_synchronous)
    {
        if (const auto action = RequestAndWait())
        {
            callback(action);
        }
    }
    else if (m_inferenceQueue)
    {
        Enqueue(callback);
    }
    else
    {
        Ask(m_observation, std::nullopt, GetActionDelay(), callback);
    }
}

void
AgentApplication::Enqueue(ActionCallback callback)
{
    const auto decision = std::make_shared<QueuedDecision>();
    decision->agent = this;
    decision->observation = m_observation->Copy();
    decision->callback = callback;
    InferenceJob job;
    job.source = {GetId().ToString(), m_sender.value_or(GetId()).ToString()};
    job.started = [decision](Time waited) { decision->Start(waited); };
    job.finished = [decision] {
        decision->isServed = true;
        decision->Act();
    };
    job.unblocked = [decision] { decision->agent->TakeInHeld(); };
    m_inferenceQueue->Submit(job);
}

void
AgentApplication::Ask(Ptr<OpenGymDataContainer> observation,
                      std::optional<Time> waited,
                      Time actionDelay,
                      ActionCallback callback)
{
    m_hasRequested = true;
    const auto reward = std::exchange(m_reward, 0);
    m_inferenceTrace(observation, reward);
    OpenGymMultiAgentInterface::Get()->NotifyCurrentState(GetId().ToString(),
                                                          observation,
                                                          reward,
                                                          false,
                                                          CollectInfo(waited),
                                                          actionDelay,
                                                          callback);
}

OpenGymInfo
AgentApplication::CollectInfo(std::optional<Time> waited)
{
    auto info = GetExtraInfo();
    // emplace() keeps existing entries.
    if (waited)
    {
        info.emplace("inference/waiting_time", waited->GetSeconds());
    }
    if (const auto& queue = m_inferenceQueue)
    {
        info.emplace("inference/queue_length", int64_t{queue->GetQueueLength()});
        info.emplace("inference/busy_workers", int64_t{queue->GetBusyWorkers()});
        info.emplace("inference/utilisation", queue->GetUtilisation());
        info.emplace("inference/dropped", static_cast<int64_t>(queue->GetDropCount()));
    }
    if (m_mover)
    {
        info.merge(m_mover->GetInfo());
    }
    if (CommunicationStatistics::IsInInfos())
    {
        info.merge(CommunicationStatistics::Get()->GetInfo(GetId()));
    }
    return info;
}

void
AgentApplication::TakeAction(Ptr<OpenGymDataContainer> action)
{
    if (!Defer([this, action] { TakeAction(action); }) && IsDeciding())
    {
        m_actionTrace(action);
        InitiateAction(action);
    }
}

void
AgentApplication::TakeActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action)
{
    if (!Defer([this, remoteAppId, action] { TakeActionForApp(remoteAppId, action); }) &&
        IsDeciding())
    {
        m_actionTrace(action);
        InitiateActionForApp(remoteAppId, action);
    }
}

void
AgentApplication::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    m_hasLostAction |= GetInterfaces(ACTION).empty() && m_actionTrace.IsEmpty();
    SendAction(MakeDictContainer("default", action));
}

void
AgentApplication::InitiateActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action)
{
    if (GetInterfaceIds({ApplicationType::ACTION, remoteAppId}).empty())
    {
        NS_LOG_WARN(GetId() << " lost its connection to action_" << remoteAppId
                            << " while it decided");
        return;
    }
    SendAction(MakeDictContainer("default", action), remoteAppId);
}

bool
AgentApplication::IsBlocked() const
{
    return m_inferenceQueue && m_inferenceQueue->IsBlocked(GetId().ToString());
}

Ptr<InferenceQueue>
AgentApplication::GetInferenceQueue() const
{
    return m_inferenceQueue;
}

} // namespace ns3
