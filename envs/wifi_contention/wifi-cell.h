// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_CELL_H
#define WIFI_CELL_H

#include "saturated-station.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Stations, each on its own node, and the access point that they send to.
 *
 * 802.11ax on channel 36 (5 GHz, 20 MHz), frames at HeMcs11 with a guard interval of 800 ns, no
 * aggregation, no RTS. Everybody hears everybody equally well, and no frame is given up. Beacons
 * are sent until all stations are associated, then no more.
 */
class WifiCell
{
  public:
    /**
     * Build it. Nothing is sent before the simulator runs.
     *
     * @param stations Number of stations.
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     */
    WifiCell(uint32_t stations, uint32_t payload);
    WifiCell(const WifiCell&) = delete;
    WifiCell& operator=(const WifiCell&) = delete;

    /// Give everybody IPv4, with a default route from stations to the access point.
    void InstallInternet();

    /// Let simulated time pass until all stations are associated.
    void AwaitAssociation();

    const NodeContainer& GetNodes() const;                         //!< @return nodes of stations
    Ptr<Node> GetAccessPoint() const;                              //!< @return its node
    const std::vector<Ptr<SaturatedStation>>& GetStations() const; //!< @return the stations

    uint32_t GetPayload() const; //!< @return bytes in a frame, without the headers

    /**
     * @return the time that the transmission of a frame takes, without what follows
     */
    Time GetFrameTime() const;

    /**
     * @return the time from one frame to the next of a station that is alone and never backs off:
     * frame, SIFS, acknowledgement, AIFS
     */
    Time GetExchangeTime() const;

  private:
    /**
     * Build network devices.
     *
     * @return those of stations, that of the access point last
     */
    NetDeviceContainer BuildDevices();

    uint32_t m_payload;                            //!< Bytes in a frame
    NodeContainer m_nodes;                         //!< Of stations
    NodeContainer m_accessPoint;                   //!< Of the access point
    NetDeviceContainer m_devices;                  //!< Of stations, then of the access point
    std::vector<Ptr<SaturatedStation>> m_stations; //!< One on each node
};

} // namespace ns3

#endif // WIFI_CELL_H
