// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUIET_INFRASTRUCTURE_H
#define QUIET_INFRASTRUCTURE_H

#include "ns3/net-device-container.h"
#include "ns3/ssid.h"

namespace ns3
{

class WifiMacHelper;

/**
 * @brief Infrastructure networks without background frames: stations associate one by one before an
 * episode begins; later no device sends beacons or probes.
 */
class QuietInfrastructure
{
  public:
    /**
     * Configure stations that never give up their access point.
     *
     * @param mac Helper that builds the stations.
     * @param ssid SSID of the network.
     */
    static void ConfigureStations(WifiMacHelper& mac, const Ssid& ssid);

    /**
     * Configure an access point that sends one beacon, and no further beacon for a minute.
     *
     * @param mac Helper that builds the access point.
     * @param ssid SSID of the network.
     */
    static void ConfigureAccessPoint(WifiMacHelper& mac, const Ssid& ssid);

    /**
     * Let frames wait in best-effort queues without a limit of time.
     *
     * @param devices Devices with the queues.
     */
    static void KeepFrames(const NetDeviceContainer& devices);

    /**
     * Wait until all stations are associated; none has sent data yet.
     *
     * @param stations Devices of the stations.
     */
    static void AwaitAssociation(const NetDeviceContainer& stations);
};

} // namespace ns3

#endif // QUIET_INFRASTRUCTURE_H
