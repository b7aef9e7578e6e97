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
 * @brief An agent on a router: it observes the router's ports, is rewarded for forwarded packets,
 * and sends messages to its neighbours.
 *
 * The reward of a decision is known when the packet is forwarded. Ports have numbers; if the router
 * has fewer ports than others, missing ports look like failed links.
 */
class RouterAgentApp : public AgentApplication
{
  public:
    /**
     * @param router Router of the agent.
     * @param parameters Parameters of the agent; they outlive this object.
     * @return a new agent, which decides for each packet or once in an epoch
     */
    static Ptr<RouterAgentApp> Make(Ptr<Router> router, const RoutingAgentParameters& parameters);

    /**
     * @param router Router of the agent.
     * @param parameters Parameters of the agent; they outlive this object.
     */
    RouterAgentApp(Ptr<Router> router, const RoutingAgentParameters& parameters);

    /**
     * Choose the port of a packet.
     *
     * @param packet Packet to forward.
     * @return the number of a port; none: the agent does not decide, or no link works
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

    static constexpr float LONGEST = 1e3F; //!< Longest observed time, in s

    /**
     * @return the router
     */
    const Router& GetRouter() const;

    /**
     * @return the parameters of agents
     */
    const RoutingAgentParameters& GetParameters() const;

    /**
     * @return the number of observed ports
     */
    uint32_t CountPorts() const;

    /**
     * Append the observation of all ports: waiting times, and whether links work.
     *
     * @param numbers Vector to extend.
     */
    void AppendPorts(std::vector<float>& numbers) const;

    /**
     * @param destinations Number of destinations.
     * @return how many numbers AppendLinkStates() appends for them
     */
    std::size_t CountLinkStates(std::size_t destinations) const;

    /**
     * Append the distances to routers over each port, with observation=link-state, and then the
     * known waiting times of their packets at the neighbour of each port, with messages.
     *
     * @param begin Number of the first router.
     * @param end Number after the last router.
     * @param numbers Vector to extend.
     */
    void AppendLinkStates(uint32_t begin, uint32_t end, std::vector<float>& numbers) const;

    /**
     * React to a packet that the router forwards or loses.
     *
     * @param hop The fate of the packet.
     */
    virtual void NotifyHop(const Router::Hop& hop);

  private:
    /// React to the loss of a packet that the router had forwarded.
    void NotifyLoss();

    /// Send the state of the router's queues to neighbours.
    void SendWaitingTimes();

    /**
     * @param hop The fate of a packet.
     * @return the cost in s
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
     * @return the known waiting time of the router's packets at the neighbour, in s
     */
    float GetNeighbourDelay(uint32_t port, uint32_t destination) const;

    /**
     * @return infos about the router's position
     */
    OpenGymInfo DescribePlace() const;

    Ptr<Router> m_router;                                  //!< Router of the agent
    const RoutingAgentParameters& m_parameters;            //!< Parameters of the agent
    std::map<uint32_t, uint32_t> m_neighbours;             //!< Routers by agents
    std::map<uint32_t, std::vector<float>> m_waitingTimes; //!< Waiting times of ports, by router
    EventId m_sendEvent;                                   //!< The next message to neighbours
    double m_cost{-1};             //!< Cost of the last packet, in s; -1: none
    int64_t m_reportedVersion{-1}; //!< Reported version of the graph
    OpenGymInfo m_place;           //!< Constant infos
};

} // namespace ns3

#endif // ROUTER_AGENT_APP_H
