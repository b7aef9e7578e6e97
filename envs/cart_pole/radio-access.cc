// SPDX-License-Identifier: GPL-2.0-only

#include "radio-access.h"

#include "point-to-point-links.h"

#include "ns3/abort.h"
#include "ns3/mobility-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"

#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

const Time LONGEST_WAIT = Seconds(60); // who is not attached by then will never be

} // namespace

void
RadioAccess::AwaitReady(Time interval)
{
    const auto limit = Simulator::Stop(LONGEST_WAIT);
    Simulator::Run();
    NS_ABORT_MSG_UNLESS(m_detached.empty(),
                        m_detached.size() << " carts, cart " << *m_detached.begin()
                                          << " among them, are not attached to the network after "
                                          << LONGEST_WAIT.As(Time::S));
    Simulator::Cancel(limit);
    const auto now = Simulator::Now();
    Simulator::Stop(interval * (Div(now, interval) + 1) - now);
    Simulator::Run();
}

void
RadioAccess::Place(Ptr<Node> antenna, const NodeContainer& carts, double distance)
{
    auto positions = CreateObject<ListPositionAllocator>();
    positions->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < carts.GetN(); i++)
    {
        const auto angle = 2 * std::numbers::pi * i / carts.GetN();
        positions->Add(Vector(distance * std::cos(angle), distance * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(NodeContainer(antenna, carts));
}

void
RadioAccess::BuildBackhaul(const CartPoleParameters& parameters,
                           Ptr<Node> gateway,
                           const NodeContainer& agents,
                           int64_t stream)
{
    PointToPointLinks links(parameters, "172.16.0.0");
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < agents.GetN(); i++)
    {
        addresses.push_back(links.ConnectToGateway(gateway, agents.Get(i)));
    }
    links.AssignStreams(stream);
    for (uint32_t i = 0; i < parameters.carts; i++)
    {
        m_agentAddresses.push_back(addresses[parameters.GetAgentOf(i)]);
    }
}

void
RadioAccess::ExpectAttachment(uint32_t cart)
{
    m_detached.insert(cart);
}

void
RadioAccess::NotifyAttached(uint32_t cart)
{
    // A device may lose its network later, and attach itself again.
    if (m_detached.erase(cart) > 0 && m_detached.empty())
    {
        Simulator::Stop();
    }
}

} // namespace ns3
