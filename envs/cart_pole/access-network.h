// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_ACCESS_NETWORK_H
#define CART_POLE_ACCESS_NETWORK_H

#include "cart-pole-parameters.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/node-container.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief What lies between carts and agents: a subclass for each kind builds it.
 *
 * It must live as long as the simulation.
 */
class AccessNetwork
{
  public:
    virtual ~AccessNetwork() = default;
    AccessNetwork(const AccessNetwork&) = delete;
    AccessNetwork& operator=(const AccessNetwork&) = delete;

    /**
     * @param cart Number of a cart.
     * @return the address at which it reaches its agent
     */
    Ipv4Address GetAgentAddress(uint32_t cart) const;

    /**
     * If the network needs time until it carries packets, let it pass, and go on to a multiple of
     * an interval.
     *
     * @param interval The interval.
     */
    virtual void AwaitReady(Time interval);

  protected:
    AccessNetwork() = default;

    /// A network interface of a node, as Ipv4InterfaceContainer::Get() gives it.
    using Interface = std::pair<Ptr<Ipv4>, uint32_t>;

    /// Random streams of a network begin here, whatever else there is.
    static constexpr int64_t FIRST_STREAM = 1000;

    /**
     * Install IPv4. Without IPv6, nobody sends but carts and agents.
     *
     * @param nodes Where.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    static int64_t InstallInternet(const NodeContainer& nodes, int64_t stream);

    /**
     * Have two interfaces of one subnet know each other's hardware addresses for good, as ARP would
     * have told them before.
     *
     * @param one One of them.
     * @param other The other.
     */
    static void Introduce(const Interface& one, const Interface& other);

    std::vector<Ipv4Address> m_agentAddresses; //!< That of its agent for each cart
};

/// Builds an access network for given nodes of carts and of agents.
using AccessFactory = std::function<std::unique_ptr<AccessNetwork>(const CartPoleParameters&,
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
    return [](const CartPoleParameters& parameters,
              const NodeContainer& carts,
              const NodeContainer& agents) {
        return std::make_unique<Access>(parameters, carts, agents);
    };
}

} // namespace ns3

#endif // CART_POLE_ACCESS_NETWORK_H
