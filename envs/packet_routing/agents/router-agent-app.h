// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_AGENT_APP_H
#define ROUTER_AGENT_APP_H

#include "agent-parameters.h"
#include "router.h"

#include "ns3/agent-application.h"
#include "ns3/event-id.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
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
    RouterAgentApp(Ptr<Router> router, const RoutingAgentParameters& parameters)
        : m_router(router),
          m_parameters(parameters)
    {
        router->TraceConnectWithoutContext("Hop", MakeCallback(&RouterAgentApp::NotifyHop, this));
        router->TraceConnectWithoutContext("Loss", MakeCallback(&RouterAgentApp::NotifyLoss, this));
    }

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
    void AddNeighbour(uint32_t agent, uint32_t router)
    {
        m_neighbours[agent] = router;
    }

  protected:
    void DoDispose() override
    {
        m_sendEvent.Cancel();
        m_router = nullptr;
        AgentApplication::DoDispose();
    }

    void StartApplication() override
    {
        AgentApplication::StartApplication();
        if (m_parameters.HasMessages())
        {
            m_sendEvent = Simulator::ScheduleNow(&RouterAgentApp::SendWaitingTimes, this);
        }
    }

    void StopApplication() override
    {
        m_sendEvent.Cancel();
        AgentApplication::StopApplication();
    }

    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override
    {
        m_waitingTimes[m_neighbours.at(remoteAppId)] =
            payload->Get("waiting")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    }

    OpenGymInfo GetExtraInfo() override
    {
        const auto& ports = m_router->GetPorts();
        std::vector<int8_t> mask(CountPorts());
        for (std::size_t i = 0; i < ports.size(); i++)
        {
            mask[i] = ports[i]->IsUp() ? 1 : 0;
        }
        if (std::find(mask.begin(), mask.end(), 1) == mask.end())
        {
            // A mask must allow an action: without a working link, each port loses the packet.
            std::fill_n(mask.begin(), ports.size(), 1);
        }
        if (m_parameters.infos == "all" && m_place.empty())
        {
            m_place = DescribePlace();
        }
        OpenGymInfo info = m_place;
        if (m_parameters.IsPerPacket())
        {
            if (!m_mask || m_mask->GetData() != mask)
            {
                m_mask = MakeBoxContainer(mask);
            }
            info["action_mask"] = m_mask;
            info["hop_cost"] = m_cost;
        }
        const auto& graph = m_router->GetGraph();
        if (m_reportedVersion != graph.GetVersion())
        {
            m_reportedVersion = graph.GetVersion();
            std::ostringstream text;
            text << "{\"router\":" << m_router->GetNumber() << ",\"links\":" << graph.WriteLinks()
                 << "}";
            info["link_state"] = text.str();
        }
        if (HasEnded())
        {
            info.merge(AgentApplication::GetExtraInfo());
        }
        return info;
    }

    static constexpr float LONGEST = 1e3F; //!< Longest observed time, in s

    /**
     * @return the router
     */
    const Router& GetRouter() const
    {
        return *m_router;
    }

    /**
     * @return the parameters of agents
     */
    const RoutingAgentParameters& GetParameters() const
    {
        return m_parameters;
    }

    /**
     * @return the number of observed ports
     */
    uint32_t CountPorts() const
    {
        return m_router->GetGraph().GetTopology().GetMaxDegree();
    }

    /**
     * Append the observation of all ports: waiting times, and whether links work.
     *
     * @param numbers Vector to extend.
     */
    void AppendPorts(std::vector<float>& numbers) const
    {
        const auto& ports = m_router->GetPorts();
        const auto first = numbers.size();
        const auto count = CountPorts();
        numbers.resize(first + 2 * count);
        for (std::size_t i = 0; i < ports.size(); i++)
        {
            const auto waiting = static_cast<float>(ports[i]->GetWaitingTime().GetSeconds());
            numbers[first + i] = std::min(waiting, LONGEST);
            numbers[first + count + i] = ports[i]->IsUp() ? 1 : 0;
        }
    }

    /// @return a name for each kind of number that AppendLinkStates() appends
    std::vector<std::string> GetLinkStateNames() const
    {
        std::vector<std::string> names;
        if (m_parameters.observation == "link-state")
        {
            names.emplace_back("distance_s");
        }
        if (m_parameters.HasMessages())
        {
            names.emplace_back("neighbour_waiting_s");
        }
        return names;
    }

    /**
     * Append the distances to routers over each port, with observation=link-state, and then the
     * known waiting times of their packets at the neighbour of each port, with messages.
     *
     * @param begin Number of the first router.
     * @param end Number after the last router.
     * @param numbers Vector to extend.
     */
    void AppendLinkStates(uint32_t begin, uint32_t end, std::vector<float>& numbers) const
    {
        const auto append = [this, begin, end, &numbers](auto get, float missing) {
            for (uint32_t to = begin; to < end; to++)
            {
                for (uint32_t port = 0; port < CountPorts(); port++)
                {
                    const bool exists = port < m_router->GetPorts().size();
                    numbers.push_back(exists ? (this->*get)(port, to) : missing);
                }
            }
        };
        if (m_parameters.observation == "link-state")
        {
            append(&RouterAgentApp::GetDistance, LONGEST);
        }
        if (m_parameters.HasMessages())
        {
            append(&RouterAgentApp::GetNeighbourDelay, 0);
        }
    }

    /**
     * React to a packet that the router forwards or loses.
     *
     * @param hop The fate of the packet.
     */
    virtual void NotifyHop(const Router::Hop& hop)
    {
        m_cost = hop.port ? hop.delay : m_parameters.lossPrice;
        m_reward -= GetCost(hop);
    }

  private:
    /// React to the loss of a packet that the router had forwarded.
    void NotifyLoss()
    {
        m_reward -= m_parameters.lossPrice;
    }

    /// Send the state of the router's queues to neighbours.
    void SendWaitingTimes()
    {
        m_sendEvent = Simulator::Schedule(m_parameters.messageInterval,
                                          &RouterAgentApp::SendWaitingTimes,
                                          this);
        std::vector<float> waiting;
        for (const auto& port : m_router->GetPorts())
        {
            waiting.push_back(static_cast<float>(port->GetWaitingTime().GetSeconds()));
        }
        SendToAgent(MakeDictContainer("waiting", MakeBoxContainer(waiting)));
    }

    /**
     * @param hop The fate of a packet.
     * @return the cost in s
     */
    double GetCost(const Router::Hop& hop) const
    {
        if (!hop.port)
        {
            return m_parameters.lossPrice;
        }
        if (m_parameters.reward == "hop")
        {
            return hop.delay;
        }
        const auto& graph = m_router->GetGraph();
        const auto next = m_router->GetPorts()[*hop.port]->Get().neighbour;
        const auto destination = hop.packet.destination;
        return hop.delay + graph.GetDistance(next, destination) -
               graph.GetDistance(m_router->GetNumber(), destination);
    }

    /**
     * @param port Number of a port.
     * @param destination Number of a router.
     * @return the distance over that port, in s
     */
    float GetDistance(uint32_t port, uint32_t destination) const
    {
        const auto& graph = m_router->GetGraph();
        const auto& end = m_router->GetPorts()[port]->Get();
        const auto& link = graph.GetLinks()[end.link];
        const auto rest = graph.GetDistance(end.neighbour, destination);
        const auto whole = link.works ? link.delay.GetSeconds() + rest : LinkGraph::UNREACHABLE;
        return std::min(static_cast<float>(whole), LONGEST);
    }

    /**
     * @param port Number of a port.
     * @param destination Number of a router.
     * @return the known waiting time of the router's packets at the neighbour, in s
     */
    float GetNeighbourDelay(uint32_t port, uint32_t destination) const
    {
        const auto& graph = m_router->GetGraph();
        const auto neighbour = m_router->GetPorts()[port]->Get().neighbour;
        const auto waitingTimes = m_waitingTimes.find(neighbour);
        if (waitingTimes == m_waitingTimes.end() || neighbour == destination)
        {
            return 0;
        }
        // The packet is assumed to continue on its shortest path.
        double shortest = LinkGraph::UNREACHABLE;
        float waiting = 0;
        uint32_t its = 0;
        for (const auto& link : graph.GetLinksOf(neighbour))
        {
            const auto& known = graph.GetLinks()[link];
            const auto there = known.first == neighbour ? known.second : known.first;
            const auto distance = known.delay.GetSeconds() + graph.GetDistance(there, destination);
            if (known.works && distance < shortest)
            {
                shortest = distance;
                waiting = waitingTimes->second[its];
            }
            its++;
        }
        return std::min(waiting, LONGEST);
    }

    /**
     * @return infos about the router's position
     */
    OpenGymInfo DescribePlace() const
    {
        const auto& ports = m_router->GetPorts();
        const auto& own = m_router->GetGraph().GetTopology().GetRouters()[m_router->GetNumber()];
        std::vector<int32_t> neighbours(CountPorts(), -1);
        for (std::size_t i = 0; i < ports.size(); i++)
        {
            neighbours[i] = static_cast<int32_t>(ports[i]->Get().neighbour);
        }
        return {{"name", own.name},
                {"router", int64_t{m_router->GetNumber()}},
                {"neighbours", MakeBoxContainer(neighbours)},
                {"position", MakeBoxContainer(std::vector<double>{own.x, own.y})}};
    }

    Ptr<Router> m_router;                                  //!< Router of the agent
    const RoutingAgentParameters& m_parameters;            //!< Parameters of the agent
    std::map<uint32_t, uint32_t> m_neighbours;             //!< Routers by agents
    std::map<uint32_t, std::vector<float>> m_waitingTimes; //!< Waiting times of ports, by router
    EventId m_sendEvent;                                   //!< The next message to neighbours
    double m_cost{-1};                       //!< Cost of the last packet, in s; -1: none
    int64_t m_reportedVersion{-1};           //!< Reported version of the graph
    OpenGymInfo m_place;                     //!< Constant infos
    Ptr<OpenGymBoxContainer<int8_t>> m_mask; //!< The last mask
};

} // namespace ns3

#endif // ROUTER_AGENT_APP_H
