// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_ENVIRONMENT_H
#define PARTITION_ENVIRONMENT_H

#include "environment.h"
#include "replica-application.h"
#include "replica-network.h"
#include "replica-protocol.h"
#include "tester-parameters.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Replicas of a protocol on a network, and their testers.
 */
class PartitionEnvironment : public Environment
{
  public:
    /// Available protocols; the first is the default.
    using Protocols = std::vector<std::shared_ptr<ReplicaProtocol>>;

    /**
     * @param name Name of the program.
     * @param protocols The protocols.
     */
    PartitionEnvironment(const std::string& name, Protocols protocols)
        : Environment({.scenario = name,
                       .device = "replica",
                       .placements = {"central"},
                       .transports = {"simple", "tcp"},
                       .accesses = {"point-to-point"},
                       .inference = false,
                       .trainingServer = false}),
          m_protocols(std::move(protocols)),
          m_protocol(m_protocols.at(0)->GetName())
    {
        m_deployment.duration = Hours(24);
    }

    uint32_t CountDevices() const override
    {
        return m_tester.replicas;
    }

    NodeContainer BuildDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;
    void NotifyDeployed(const RlApplicationContainer& agents) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * @param simulation The scenario that declares the network of replicas.
     */
    void DeclareNetwork(RlSimulation& simulation);

    /**
     * @return a contradiction between parameters of the network, or an empty string
     */
    std::string FindNetworkContradiction() const;

    /**
     * @return a contradiction between parameters of protocols, or an empty string
     */
    std::string FindProtocolContradiction() const;

    /**
     * @return a fault of the seeded bug, or an empty string
     */
    std::string FindBugContradiction() const;

    ReplicaProtocol& GetProtocol() const; //!< @return the replicas' protocol

    Protocols m_protocols;                           //!< The protocols
    std::string m_protocol;                          //!< Name of the protocol
    std::string m_bug;                               //!< Seeded bug of all replicas; empty: none
    std::string m_topology{"star"};                  //!< The network between replicas
    ReplicaLinks m_links;                            //!< The properties of the network
    Time m_jitter{};                                 //!< Maximum extra delay of a message
    double m_duplication{0};                         //!< Probability of a second copy
    TesterParameters m_tester;                       //!< The actions and observations of testers
    std::unique_ptr<ReplicaNetwork> m_network;       //!< Network of the replicas
    std::vector<Ptr<ReplicaApplication>> m_replicas; //!< Replicas by number
};

} // namespace ns3

#endif // PARTITION_ENVIRONMENT_H
