// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_ENVIRONMENT_H
#define PARTITION_ENVIRONMENT_H

#include "environment.h"
#include "raft-protocol.h"
#include "replica-application.h"
#include "star-network.h"
#include "tester-parameters.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Replicas of a consensus protocol on a network, and one agent that tests them.
 */
class PartitionEnvironment : public Environment
{
  public:
    PartitionEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    Time m_tickInterval{MilliSeconds(10)};           //!< Simulated time of a tick
    StarParameters m_links;                          //!< Between replicas
    TesterParameters m_tester;                       //!< What the agent may do, and sees
    RaftProtocol m_protocol;                         //!< Of the replicas
    std::optional<StarNetwork> m_network;            //!< Between replicas
    std::vector<Ptr<ReplicaApplication>> m_replicas; //!< In the order of their numbers
};

} // namespace ns3

#endif // PARTITION_ENVIRONMENT_H
