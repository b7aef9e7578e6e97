// SPDX-License-Identifier: GPL-2.0-only

#include "router-agent-app.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

RouterAgentApp::RouterAgentApp(Ptr<Router> router, const RoutingAgentParameters& parameters)
    : m_router(router),
      m_parameters(parameters)
{
    router->TraceConnectWithoutContext("Hop", MakeCallback(&RouterAgentApp::NotifyHop, this));
    router->TraceConnectWithoutContext("Loss", MakeCallback(&RouterAgentApp::NotifyLoss, this));
}

void
RouterAgentApp::DoDispose()
{
    m_sendEvent.Cancel();
    m_router = nullptr;
    AgentApplication::DoDispose();
}

void
RouterAgentApp::AddNeighbour(uint32_t agent, uint32_t router)
{
    m_neighbours[agent] = router;
}

void
RouterAgentApp::StartApplication()
{
    AgentApplication::StartApplication();
    if (m_parameters.HasMessages())
    {
        m_sendEvent = Simulator::ScheduleNow(&RouterAgentApp::SendWaitingTimes, this);
    }
}

void
RouterAgentApp::StopApplication()
{
    m_sendEvent.Cancel();
    AgentApplication::StopApplication();
}

void
RouterAgentApp::SendWaitingTimes()
{
    m_sendEvent =
        Simulator::Schedule(m_parameters.messageInterval, &RouterAgentApp::SendWaitingTimes, this);
    std::vector<float> waiting;
    for (const auto& port : m_router->GetPorts())
    {
        waiting.push_back(static_cast<float>(port->GetWaitingTime().GetSeconds()));
    }
    SendToAgent(MakeDictContainer("waiting", MakeBoxContainer(waiting)));
}

void
RouterAgentApp::OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload)
{
    m_waitingTimes[m_neighbours.at(remoteAppId)] =
        payload->Get("waiting")->GetObject<OpenGymBoxContainer<float>>()->GetData();
}

const Router&
RouterAgentApp::GetRouter() const
{
    return *m_router;
}

const RoutingAgentParameters&
RouterAgentApp::GetParameters() const
{
    return m_parameters;
}

uint32_t
RouterAgentApp::CountPorts() const
{
    return m_router->GetGraph().GetTopology().GetMaxDegree();
}

void
RouterAgentApp::AppendPorts(std::vector<float>& numbers) const
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

float
RouterAgentApp::GetDistance(uint32_t port, uint32_t destination) const
{
    const auto& graph = m_router->GetGraph();
    const auto& end = m_router->GetPorts()[port]->Get();
    const auto& link = graph.GetLinks()[end.link];
    const auto rest = graph.GetDistance(end.neighbour, destination);
    const auto whole = link.works ? link.delay.GetSeconds() + rest : LinkGraph::UNREACHABLE;
    return std::min(static_cast<float>(whole), LONGEST);
}

float
RouterAgentApp::GetNeighbourDelay(uint32_t port, uint32_t destination) const
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

std::size_t
RouterAgentApp::CountLinkStates(std::size_t destinations) const
{
    const int kinds = (m_parameters.observation == "link-state") + m_parameters.HasMessages();
    return kinds * destinations * CountPorts();
}

void
RouterAgentApp::AppendLinkStates(uint32_t begin, uint32_t end, std::vector<float>& numbers) const
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

double
RouterAgentApp::GetCost(const Router::Hop& hop) const
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

void
RouterAgentApp::NotifyHop(const Router::Hop& hop)
{
    m_cost = hop.port ? hop.delay : m_parameters.lossPrice;
    m_reward -= GetCost(hop);
}

void
RouterAgentApp::NotifyLoss()
{
    m_reward -= m_parameters.lossPrice;
}

OpenGymInfo
RouterAgentApp::DescribePlace() const
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

OpenGymInfo
RouterAgentApp::GetExtraInfo()
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
    OpenGymInfo info;
    if (m_parameters.IsPerPacket())
    {
        info["action_mask"] = MakeBoxContainer(mask);
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
    if (m_parameters.infos == "all")
    {
        if (m_place.empty())
        {
            m_place = DescribePlace();
        }
        info.insert(m_place.begin(), m_place.end());
    }
    if (HasEnded())
    {
        info.merge(AgentApplication::GetExtraInfo());
    }
    return info;
}

} // namespace ns3
