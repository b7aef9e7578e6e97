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
 * It must live as long as the simulation. Devices may have their own networks beside it: they keep
 * their Internet stack, their routes and their positions.
 */
class AccessNetwork
{
  public:
    virtual ~AccessNetwork() = default;
    AccessNetwork(const AccessNetwork&) = delete;
    AccessNetwork& operator=(const AccessNetwork&) = delete;

    /**
     * @param device Number of a device.
     * @return the address at which it reaches its agent
     */
    Ipv4Address GetAgentAddress(uint32_t device) const;

    /**
     * @param device Number of a device.
     * @return its address in this network; an invalid one if it has no other than before
     */
    Address GetDeviceAddress(uint32_t device) const;

    /**
     * If the network needs time until it carries packets, let it pass, and continue at a multiple
     * of an interval.
     *
     * @param interval The interval; zero: any time will do.
     */
    virtual void AwaitReady(Time interval);

    /**
     * @param nodes Nodes.
     * @return those of them that have no IPv4 yet
     */
    static NodeContainer SelectWithoutInternet(const NodeContainer& nodes);

    /// A network interface of a node, as Ipv4InterfaceContainer::Get() gives it.
    using Interface = std::pair<Ptr<Ipv4>, uint32_t>;

    /**
     * Install IPv4 where there is none; networks of environments may do so, too. Without IPv6,
     * nobody sends but devices and agents.
     *
     * @param nodes Where.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    static int64_t InstallInternet(const NodeContainer& nodes, int64_t stream);

    /**
     * Give two interfaces of one subnet permanent entries for each other's hardware address, as
     * from ARP.
     *
     * @param one One of them.
     * @param other The other.
     */
    static void Introduce(const Interface& one, const Interface& other);

  protected:
    AccessNetwork() = default;

    /// Random streams of a network begin here, whatever else there is.
    static constexpr int64_t FIRST_STREAM = 1000;

    std::vector<Ipv4Address> m_agentAddresses; //!< That of its agent for each device
    std::vector<Address> m_deviceAddresses;    //!< Of each device; empty: as before
};

/// Builds an access network for given nodes of devices and of agents.
using AccessFactory = std::function<std::unique_ptr<AccessNetwork>(const DeploymentParameters&,
                                                                   const NodeContainer&,
                                                                   const NodeContainer&)>;

/**
 * @tparam Access A kind of access network.
 * @return what builds it
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
 * @brief Makes a kind of access network known to programs that are linked with it.
 *
 * Each kind has one object of this class: what is linked with all models of ns-3 that any of the
 * kinds needs would start slowly.
 */
class AccessRegistration
{
  public:
    /**
     * @param kind As `access` calls it.
     * @param factory Builds it.
     */
    AccessRegistration(const std::string& kind, AccessFactory factory);

    /**
     * @return what builds each kind that is linked, by name
     */
    static const std::map<std::string, AccessFactory>& GetAll();
};

} // namespace ns3

#endif // ACCESS_NETWORK_H
