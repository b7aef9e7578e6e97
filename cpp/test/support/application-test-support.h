// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_TEST_SUPPORT_H
#define APPLICATION_TEST_SUPPORT_H

#include "channel-test-support.h"

#include "ns3/action-application.h"
#include "ns3/agent-application.h"
#include "ns3/observation-application.h"
#include "ns3/reward-application.h"
#include "ns3/rl-application-helper.h"
#include "ns3/simple-channel-interface.h"

#include <utility>
#include <vector>

/// Numbers of applications, and the values they sent, in order.
using Receipts = std::vector<std::pair<uint32_t, int32_t>>;

/**
 * @ingroup defiance-tests
 * @brief An observation or reward application that sends the test's messages.
 */
template <typename Base>
class ManualCollector : public Base
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("Manual" + Base::GetTypeId().GetName())
                                     .template SetParent<Base>()
                                     .template AddConstructor<ManualCollector<Base>>();
        return tid;
    }

    using Base::Send;
    using ns3::RlApplication::GetInterfaces;

    void RegisterCallbacks() override
    {
        ++registrations;
    }

    void Setup() override
    {
        ++setups;
        Base::Setup();
    }

    uint32_t registrations{0}; //!< Number of calls of RegisterCallbacks()
    uint32_t setups{0};        //!< Number of calls of Setup()
};

using ManualObservation = ManualCollector<ns3::ObservationApplication>; //!< Sends observations
using ManualReward = ManualCollector<ns3::RewardApplication>;           //!< Sends rewards

/**
 * @ingroup defiance-tests
 * @brief An action application that records its actions.
 */
class RecordingAction : public ns3::ActionApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("RecordingAction")
                                     .SetParent<ns3::ActionApplication>()
                                     .AddConstructor<RecordingAction>();
        return tid;
    }

    Receipts actions;             //!< Actions to execute
    std::vector<ns3::Time> times; //!< Times of these actions

  private:
    void ExecuteAction(uint32_t remoteAppId, ns3::Ptr<ns3::OpenGymDictContainer> action) override
    {
        const auto inferred = action->Get("default");
        actions.emplace_back(remoteAppId,
                             inferred
                                 ? inferred->GetObject<ns3::OpenGymDiscreteContainer>()->GetValue()
                                 : GetNumber(action));
        times.push_back(ns3::Simulator::Now());
    }
};

/**
 * @ingroup defiance-tests
 * @brief An agent that records received messages. Its only action is 5.
 */
class RecordingAgent : public ns3::AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("RecordingAgent")
                                     .SetParent<ns3::AgentApplication>()
                                     .AddConstructor<RecordingAgent>();
        return tid;
    }

    static constexpr int64_t ACTION{5}; //!< The only action

    using AgentApplication::InferAction;
    using AgentApplication::m_obsDataStruct;
    using AgentApplication::m_observation;
    using AgentApplication::m_reward;
    using AgentApplication::m_rewardDataStruct;

    Receipts observations;         //!< Received observations
    Receipts rewards;              //!< Received rewards
    Receipts messages;             //!< Messages from agents
    bool isInferringAtOnce{false}; //!< Decides on each observation
    ns3::OpenGymInfo info;         //!< Infos beside observations
    uint32_t infoRequests{0};      //!< Number of requests for infos

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto newest = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        observations.emplace_back(remoteAppId, GetNumber(newest));
        m_observation = newest->Get("value");
        if (isInferringAtOnce)
        {
            InferAction();
        }
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
        const auto number = GetNumber(m_rewardDataStruct.GetNewestByID(remoteAppId)->data);
        rewards.emplace_back(remoteAppId, number);
        m_reward += number;
    }

    void OnRecvFromAgent(uint32_t remoteAppId, ns3::Ptr<ns3::OpenGymDictContainer> payload) override
    {
        messages.emplace_back(remoteAppId, GetNumber(payload));
    }

    ns3::Ptr<ns3::OpenGymSpace> GetObservationSpace() override
    {
        return ns3::MakeBoxSpace<int32_t>(1, -1000, 1000);
    }

    ns3::Ptr<ns3::OpenGymSpace> GetActionSpace() override
    {
        return ns3::MakeDiscreteSpace(1, ACTION);
    }

    ns3::OpenGymInfo GetExtraInfo() override
    {
        ++infoRequests;
        return info;
    }
};

/**
 * @ingroup defiance-tests
 * @brief Install an application on a new node.
 * @tparam T its class
 * @param id its id
 * @return the application
 */
template <typename T>
ns3::Ptr<T>
InstallOnNewNode(ns3::RlApplicationId id)
{
    ns3::RlApplicationHelper helper(T::GetTypeId());
    const auto application =
        ns3::DynamicCast<T>(helper.Install(ns3::CreateObject<ns3::Node>()).Get(0));
    application->SetId(id);
    return application;
}

/**
 * @ingroup defiance-tests
 * @brief Connect two applications by a simple channel.
 * @param a one application
 * @param b the other application
 */
inline void
Link(ns3::Ptr<ns3::RlApplication> a, ns3::Ptr<ns3::RlApplication> b)
{
    const auto endA = ns3::CreateObject<ns3::SimpleChannelInterface>();
    const auto endB = ns3::CreateObject<ns3::SimpleChannelInterface>();
    a->AddInterface(b->GetId(), endA);
    b->AddInterface(a->GetId(), endB);
    endA->Connect(endB);
}

/**
 * @ingroup defiance-tests
 * @brief Call a function at a time.
 * @param time the time
 * @param action the function
 */
inline void
At(ns3::Time time, std::function<void()> action)
{
    ns3::Simulator::Schedule(time, [action] { action(); });
}

#endif /* APPLICATION_TEST_SUPPORT_H */
