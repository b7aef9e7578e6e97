// SPDX-License-Identifier: GPL-2.0-only

#include "packet-agent-app.h"

#include "ns3/opengym-builders.h"

#include <utility>

namespace ns3
{

namespace
{

constexpr float MOST_HOPS = 255;

} // namespace

std::optional<uint32_t>
PacketAgentApp::Choose(const RoutedPacket& packet)
{
    std::vector<float> numbers{float(packet.destination), float(packet.hops)};
    AppendPorts(numbers);
    if (GetParameters().observation == "link-state")
    {
        AppendDistances(packet.destination, numbers);
    }
    if (GetParameters().HasMessages())
    {
        AppendNeighbours(packet.destination, numbers);
    }
    m_observation = MakeBoxContainer(std::move(numbers));
    const auto action = RequestAction();
    if (!action)
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(action->GetObject<OpenGymDiscreteContainer>()->GetValue());
}

Ptr<OpenGymSpace>
PacketAgentApp::GetObservationSpace()
{
    const auto routers = GetRouter().GetGraph().CountRouters();
    std::vector<float> high{float(routers - 1), MOST_HOPS};
    high.insert(high.end(), CountPorts(), LONGEST);
    high.insert(high.end(), CountPorts(), 1);
    if (GetParameters().observation == "link-state")
    {
        high.insert(high.end(), CountPorts(), LONGEST);
    }
    if (GetParameters().HasMessages())
    {
        high.insert(high.end(), CountPorts(), LONGEST);
    }
    return MakeBoxSpace(std::vector<float>(high.size()), high);
}

Ptr<OpenGymSpace>
PacketAgentApp::GetActionSpace()
{
    return MakeDiscreteSpace(CountPorts());
}

} // namespace ns3
