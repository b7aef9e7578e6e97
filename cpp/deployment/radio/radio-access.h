// SPDX-License-Identifier: GPL-2.0-only

#ifndef RADIO_ACCESS_H
#define RADIO_ACCESS_H

#include "gateway-access.h"

#include <set>

namespace ns3
{

/**
 * @brief Devices around an antenna, which attach themselves to it in simulated time, and agents
 * behind a gateway.
 */
class RadioAccess : public GatewayAccess
{
  public:
    void AwaitReady(Time interval) override;

  protected:
    /**
     * Set the positions of nodes: devices on a circle. An object with a position keeps it.
     *
     * @param antenna The node in the middle.
     * @param devices Nodes of devices.
     * @param distance Radius of the circle in m.
     */
    static void Place(Ptr<Node> antenna, const NodeContainer& devices, double distance);

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
    void NotifyAttached(uint32_t device);

  private:
    std::set<uint32_t> m_detached; //!< Devices that are not attached yet
};

} // namespace ns3

#endif // RADIO_ACCESS_H
