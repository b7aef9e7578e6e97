// SPDX-License-Identifier: GPL-2.0-only

#include "radio-access.h"

#include "ns3/abort.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"

#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

const Time LONGEST_WAIT = Seconds(60); // later attachment is impossible

} // namespace

void
RadioAccess::AwaitReady(Time interval)
{
    const auto limit = Simulator::Stop(LONGEST_WAIT);
    Simulator::Run();
    NS_ABORT_MSG_UNLESS(m_detached.empty(),
                        m_detached.size() << " devices, including number " << *m_detached.begin()
                                          << ", are not attached to the network after "
                                          << LONGEST_WAIT.As(Time::S));
    Simulator::Cancel(limit);
    if (interval.IsZero())
    {
        return;
    }
    const auto now = Simulator::Now();
    Simulator::Stop(interval * (Div(now, interval) + 1) - now);
    Simulator::Run();
}

void
RadioAccess::Place(Ptr<Node> antenna, const NodeContainer& devices, double distance)
{
    NodeContainer nodes(antenna);
    auto positions = CreateObject<ListPositionAllocator>();
    positions->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        if (!devices.Get(i)->GetObject<MobilityModel>())
        {
            const auto angle = 2 * std::numbers::pi * i / devices.GetN();
            nodes.Add(devices.Get(i));
            positions->Add(Vector(distance * std::cos(angle), distance * std::sin(angle), 0));
        }
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
}

void
RadioAccess::NotifyAttached(uint32_t device)
{
    // A device may lose its network later, and attach again.
    if (m_detached.erase(device) > 0 && m_detached.empty())
    {
        Simulator::Stop();
    }
}

} // namespace ns3
