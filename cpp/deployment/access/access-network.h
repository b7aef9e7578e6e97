// SPDX-License-Identifier: GPL-2.0-only

#ifndef ACCESS_NETWORK_H
#define ACCESS_NETWORK_H

#include "deployment-parameters.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/node-container.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The network between devices and agents: a subclass for each kind builds it.
 *
 * It must live as long as the simulation. Devices may have their own networks, too, and keep their
 * Internet stack, routes and positions.
 */
class AccessNetwork
{
  public:
    virtual ~AccessNetwork() = default;
    AccessNetwork(const AccessNetwork&) = delete;
    AccessNetwork& operator=(const AccessNetwork&) = delete;

    /**
     * @param device Number of a device.
     * @return the address of its agent, from the device
     */
    Ipv4Address GetAgentAddress(uint32_t device) const
    {
        return m_agentAddresses.at(device);
    }

    /**
     * @param device Number of a device.
     * @return the device's address in this network; invalid if the device keeps its former address
     */
    Address GetDeviceAddress(uint32_t device) const
    {
        return m_deviceAddresses.empty() ? Address() : m_deviceAddresses.at(device);
    }

    /**
     * If the network needs time until it carries packets, wait for it, and continue at a multiple
     * of an interval.
     *
     * @param interval The interval; zero: any time.
     */
    virtual void AwaitReady(Time interval)
    {
    }

    /**
     * @param nodes Nodes.
     * @return the nodes without IPv4
     */
    static NodeContainer SelectWithoutInternet(const NodeContainer& nodes);

    /// A network interface of a node, as Ipv4InterfaceContainer::Get() returns it.
    using Interface = std::pair<Ptr<Ipv4>, uint32_t>;

    /**
     * Install IPv4 on nodes that lack it; an environment's network may do so, too. Without IPv6,
     * only devices and agents send.
     *
     * @param nodes Nodes.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    static int64_t InstallInternet(const NodeContainer& nodes, int64_t stream);

    /**
     * Give two interfaces of one subnet permanent ARP entries for each other.
     *
     * @param one First interface.
     * @param other Second interface.
     */
    static void Introduce(const Interface& one, const Interface& other);

  protected:
    AccessNetwork() = default;

    /// First random stream of a network, independent of the scenario.
    static constexpr int64_t FIRST_STREAM = 1000;

    std::vector<Ipv4Address> m_agentAddresses; //!< Address of each device's agent
    std::vector<Address> m_deviceAddresses;    //!< Address of each device; empty: unchanged
};

/// Builds an access network for given nodes of devices and of agents.
using AccessFactory = std::function<std::unique_ptr<AccessNetwork>(const DeploymentParameters&,
                                                                   const NodeContainer&,
                                                                   const NodeContainer&)>;

/**
 * @tparam Access A kind of access network.
 * @return the factory of the access network
 */
template <typename Access>
AccessFactory
MakeAccessFactory()
{
    return [](const DeploymentParameters& parameters,
              const NodeContainer& devices,
              const NodeContainer& agents) {
        return std::make_unique<Access>(parameters, devices, agents);
    };
}

/**
 * @brief Registers a kind of access network for programs that are linked with it.
 *
 * Each kind has its own object of this class: a program linked with ns-3's models for all kinds
 * would start slowly.
 */
class AccessRegistration
{
  public:
    /**
     * @param kind Value of `access`.
     * @param factory Builds the network.
     */
    AccessRegistration(const std::string& kind, AccessFactory factory);

    /**
     * @return the factory of each linked kind, by name
     */
    static const std::map<std::string, AccessFactory>& GetAll();
};

} // namespace ns3

#endif // ACCESS_NETWORK_H
