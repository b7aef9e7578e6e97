// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_TEST_SUPPORT_H
#define COMMUNICATION_TEST_SUPPORT_H

#include "application-test-support.h"

#include "ns3/communication-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/test.h"

#include <memory>

/**
 * @ingroup defiance-tests
 * @brief Applications of all types on the nodes of a chain, and their helper.
 */
class HelperTestCase : public ns3::TestCase
{
  public:
    using ns3::TestCase::TestCase;

  protected:
    /**
     * @brief Install an observation, a reward and an action application on node 0, two agents on
     * node 1 and another action application on node 2.
     */
    void Install()
    {
        topology = std::make_unique<ChainTopology>(3);
        ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        ns3::RlApplicationHelper installer(ManualObservation::GetTypeId());
        observers = installer.Install(topology->nodes.Get(0));
        installer.SetTypeId(ManualReward::GetTypeId());
        rewards = installer.Install(topology->nodes.Get(0));
        installer.SetTypeId(RecordingAgent::GetTypeId());
        agents = installer.Install(topology->nodes.Get(1));
        agents.Add(installer.Install(topology->nodes.Get(1)));
        installer.SetTypeId(RecordingAction::GetTypeId());
        actions = installer.Install(topology->nodes.Get(0));
        actions.Add(installer.Install(topology->nodes.Get(2)));
        SetApps(communication);
    }

    /**
     * @brief Set the applications of a helper.
     * @param helper the helper
     */
    void SetApps(ns3::CommunicationHelper& helper) const
    {
        helper.SetObservationApps(observers);
        helper.SetRewardApps(rewards);
        helper.SetAgentApps(agents);
        helper.SetActionApps(actions);
    }

    /**
     * @brief Pass the applications to a helper.
     * @tparam T its class
     * @param applications container of the application
     * @param i its position
     * @return the application
     */
    template <typename T>
    static ns3::Ptr<T> Get(const ns3::RlApplicationContainer& applications, uint32_t i = 0)
    {
        return ns3::DynamicCast<T>(applications.Get(i));
    }

    std::unique_ptr<ChainTopology> topology; //!< Three nodes in a chain
    ns3::RlApplicationContainer observers;   //!< One on node 0
    ns3::RlApplicationContainer rewards;     //!< One on node 0
    ns3::RlApplicationContainer agents;      //!< Two on node 1
    ns3::RlApplicationContainer actions;     //!< One each on node 0 and node 2
    ns3::CommunicationHelper communication;  //!< Knows all of them
};

#endif /* Helper of all applications */
