// SPDX-License-Identifier: GPL-2.0-only

#ifndef RADIO_ACCESS_H
#define RADIO_ACCESS_H

#include "gateway-access.h"

#include "ns3/abort.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"

#include <cmath>
#include <numbers>
#include <set>

namespace ns3
{

const Time LONGEST_WAIT = Seconds(60); // later attachment is impossible

/**
 * @brief Devices around an antenna, which attach themselves to it in simulated time, and agents
 * behind a gateway.
 */
class RadioAccess : public GatewayAccess
{
  public:
    void AwaitReady(Time interval) override
    {
        const auto limit = Simulator::Stop(LONGEST_WAIT);
        Simulator::Run();
        NS_ABORT_MSG_UNLESS(m_detached.empty(),
                            m_detached.size()
                                << " devices, including number " << *m_detached.begin()
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

  protected:
    /**
     * Set the positions of nodes: devices on a circle. An object with a position keeps it.
     *
     * @param antenna The node in the middle.
     * @param devices Nodes of devices.
     * @param distance Radius of the circle in m.
     */
    static void Place(Ptr<Node> antenna, const NodeContainer& devices, double distance)
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

    /**
     * @param device Number of a device that must be attached before the network is ready.
     */
    void ExpectAttachment(uint32_t device)
    {
        m_detached.insert(device);
    }

    /**
     * @param device Number of an attached device.
     */
    void NotifyAttached(uint32_t device)
    {
        // A device may lose its network later, and attach again.
        if (m_detached.erase(device) > 0 && m_detached.empty())
        {
            Simulator::Stop();
        }
    }

  private:
    std::set<uint32_t> m_detached; //!< Devices that are not attached yet
};

} // namespace ns3

#endif // RADIO_ACCESS_H
