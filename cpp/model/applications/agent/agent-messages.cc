// SPDX-License-Identifier: GPL-2.0-only

// The messages between an AgentApplication and other applications.

#include "agent-application.h"
#include "message-content.h"

#include "ns3/abort.h"
#include "ns3/inference-queue.h"
#include "ns3/log.h"

#include <cmath>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AgentMessages");

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
