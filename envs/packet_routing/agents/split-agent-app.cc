// SPDX-License-Identifier: GPL-2.0-only

#include "split-agent-app.h"

#include "ns3/opengym-builders.h"

#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t SPLIT_STREAM = 700'000; //!< Stream of the first router
constexpr float MOST_ARRIVALS = 1e9F;

} // namespace

void
SplitAgentApp::Setup()
{
    SetAttribute("StepInterval", TimeValue(GetParameters().interval));
    m_arrived.resize(GetRouter().GetGraph().CountRouters());
    m_uniform->SetStream(SPLIT_STREAM + GetRouter().GetNumber());
    RouterAgentApp::Setup();
}

std::vector<double>
SplitAgentApp::GetWeights(uint32_t destination) const
{
    const auto& ports = GetRouter().GetPorts();
    std::vector<double> weights(ports.size());
    for (std::size_t port = 0; port < ports.size(); port++)
    {
        const auto weight = m_weights[destination * CountPorts() + port];
        weights[port] = ports[port]->IsUp() && weight > 0 ? weight : 0;
    }
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0)
    {
        for (std::size_t port = 0; port < ports.size(); port++)
        {
            weights[port] = ports[port]->IsUp() ? 1 : 0;
        }
    }
    return weights;
}

std::optional<uint32_t>
SplitAgentApp::Choose(const RoutedPacket& packet)
{
    m_arrived[packet.destination]++;
    if (m_weights.empty())
    {
        return std::nullopt;
    }
    const auto weights = GetWeights(packet.destination);
    const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    auto rest = m_uniform->GetValue() * sum;
    std::optional<uint32_t> drawn;
    for (uint32_t port = 0; port < weights.size(); port++)
    {
        if (weights[port] > 0)
        {
            drawn = port;
            rest -= weights[port];
            if (rest < 0)
            {
                break;
            }
        }
    }
    return drawn;
}

Ptr<OpenGymDataContainer>
SplitAgentApp::Observe()
{
    const auto routers = GetRouter().GetGraph().CountRouters();
    std::vector<float> numbers;
    AppendPorts(numbers);
    numbers.insert(numbers.end(), m_arrived.begin(), m_arrived.end());
    m_arrived.assign(routers, 0);
    for (uint32_t to = 0; to < routers && GetParameters().observation == "link-state"; to++)
    {
        AppendDistances(to, numbers);
    }
    for (uint32_t to = 0; to < routers && GetParameters().HasMessages(); to++)
    {
        AppendNeighbours(to, numbers);
    }
    return MakeBoxContainer(std::move(numbers));
}

void
SplitAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    m_weights = action->GetObject<OpenGymBoxContainer<float>>()->GetData();
}

Ptr<OpenGymSpace>
SplitAgentApp::GetObservationSpace()
{
    const auto routers = GetRouter().GetGraph().CountRouters();
    std::vector<float> high(CountPorts(), LONGEST);
    high.insert(high.end(), CountPorts(), 1);
    high.insert(high.end(), routers, MOST_ARRIVALS);
    if (GetParameters().observation == "link-state")
    {
        high.insert(high.end(), routers * CountPorts(), LONGEST);
    }
    if (GetParameters().HasMessages())
    {
        high.insert(high.end(), routers * CountPorts(), LONGEST);
    }
    return MakeBoxSpace(std::vector<float>(high.size()), high);
}

Ptr<OpenGymSpace>
SplitAgentApp::GetActionSpace()
{
    return MakeBoxSpace<float>(GetRouter().GetGraph().CountRouters() * CountPorts(), 0, 1);
}

} // namespace ns3
