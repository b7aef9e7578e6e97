// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_AGENT_APP_H
#define ROUTER_AGENT_APP_H

#include "agent-parameters.h"
#include "router.h"

#include "ns3/agent-application.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief An agent on a router: what it sees of the router's ports, what it earns by the packets
 * that the router sends on, and what it tells its neighbours.
 *
 * Rewards are known as a packet is sent on, and belong to that decision. Ports have numbers; those
 * that the router has fewer than others of the topology are seen as links that have failed.
 */
class RouterAgentApp : public AgentApplication
{
  public:
    /**
     * @param router Whose agent it is.
     * @param parameters Its observations and rewards; they outlive this object.
     */
    RouterAgentApp(Ptr<Router> router, const RoutingAgentParameters& parameters);

    /**
     * Choose the port of a packet.
     *
     * @param packet That is to be sent on.
     * @return the number of a port; none: it does not decide, or no link works
     */
    virtual std::optional<uint32_t> Choose(const RoutedPacket& packet) = 0;

    /**
     * @param agent Number of the agent of a neighbour, to which there is a channel.
     * @param router Number of that neighbour.
     */
    void AddNeighbour(uint32_t agent, uint32_t router);

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;
    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override;
    OpenGymInfo GetExtraInfo() override;

    static constexpr float LONGEST = 1e3F; //!< Time that is seen at most, in s

    /**
     * @return the router
     */
    const Router& GetRouter() const;

    /**
     * @return what it sees and earns
     */
    const RoutingAgentParameters& GetParameters() const;

    /**
     * @return the number of ports that it sees
     */
    uint32_t CountPorts() const;

    /**
     * Append what is seen of all ports: waiting times, and whether links work.
     *
     * @param seen Where.
     */
    void SeePorts(std::vector<float>& seen) const;

    /**
     * Append how far it is to a router over each port.
     *
     * @param destination Number of the router.
     * @param seen Where.
     */
    void SeeDistances(uint32_t destination, std::vector<float>& seen) const;

    /**
     * Append what is known of how long packets for a router wait at the neighbour at each port.
     *
     * @param destination Number of the router.
     * @param seen Where.
     */
    void SeeNeighbours(uint32_t destination, std::vector<float>& seen) const;

    /**
     * React to a packet that the router sends on, or loses.
     *
     * @param hop The fate of the packet.
     */
    virtual void NotifyHop(const Router::Hop& hop);

  private:
    /// A packet that the router had sent on is lost.
    void NotifyLoss();

    /// Tell neighbours of the router's queues.
    void Tell();

    /**
     * @param hop The fate of a packet.
     * @return what it has cost, in s
     */
    double GetCost(const Router::Hop& hop) const;

    /**
     * @param port Number of a port.
     * @param destination Number of a router.
     * @return the distance over that port, in s
     */
    float GetDistance(uint32_t port, uint32_t destination) const;

    /**
     * @param port Number of a port.
     * @param destination Number of a router.
     * @return how long packets for the router wait at the neighbour, as far as it is known, in s
     */
    float GetHeard(uint32_t port, uint32_t destination) const;

    /**
     * @return the infos that tell where the router is
     */
    OpenGymInfo DescribePlace() const;

    Ptr<Router> m_router;                           //!< Whose agent it is
    const RoutingAgentParameters& m_parameters;     //!< Its observations and rewards
    std::map<uint32_t, uint32_t> m_neighbours;      //!< Numbers of routers, by those of agents
    std::map<uint32_t, std::vector<float>> m_heard; //!< Waiting times of ports, by router
    EventId m_tellEvent;                            //!< The next message to neighbours
    double m_cost{-1};                              //!< Of the last packet, in s; -1: none yet
    int64_t m_told{-1};                             //!< Version of the graph that was reported
    OpenGymInfo m_place;                            //!< Infos that stay the same
};

} // namespace ns3

#endif // ROUTER_AGENT_APP_H
