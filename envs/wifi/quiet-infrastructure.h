// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUIET_INFRASTRUCTURE_H
#define QUIET_INFRASTRUCTURE_H

#include "ns3/net-device-container.h"
#include "ns3/ssid.h"

namespace ns3
{

class WifiMacHelper;

/**
 * @brief Infrastructure networks in which nobody sends by himself: stations associate before an
 * episode begins, one after the other, and from then on there are neither beacons nor probes.
 */
class QuietInfrastructure
{
  public:
    /**
     * Have stations built that never give up their access point.
     *
     * @param mac Builds them.
     * @param ssid SSID of their network.
     */
    static void ConfigureStations(WifiMacHelper& mac, const Ssid& ssid);

    /**
     * Have an access point built that sends one beacon, and then none for a minute.
     *
     * @param mac Builds it.
     * @param ssid SSID of its network.
     */
    static void ConfigureAccessPoint(WifiMacHelper& mac, const Ssid& ssid);

    /**
     * Let frames wait in best-effort queues for as long as it takes.
     *
     * @param devices Whose queues.
     */
    static void KeepFrames(const NetDeviceContainer& devices);

    /**
     * Let simulated time pass until all stations are associated; none has sent anything yet.
     *
     * @param stations Their devices.
     */
    static void AwaitAssociation(const NetDeviceContainer& stations);
};

} // namespace ns3

#endif // QUIET_INFRASTRUCTURE_H
