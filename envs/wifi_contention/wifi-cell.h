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
 * @brief Stations, each on its own node, and their access point.
 *
 * 802.11ax on channel 36 (5 GHz, 20 MHz), frames at HeMcs11 with a guard interval of 800 ns, no
 * aggregation, no RTS. All stations receive each other equally well, and retry frames without
 * limit. Beacons are sent only until all stations are associated.
 */
class WifiCell
{
  public:
    /**
     * Build the cell. Nothing is sent before the simulator runs.
     *
     * @param stations Number of stations.
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     */
    WifiCell(uint32_t stations, uint32_t payload);
    WifiCell(const WifiCell&) = delete;
    WifiCell& operator=(const WifiCell&) = delete;

    /// Install IPv4 on all nodes, with a default route from stations to the access point.
    void InstallInternet();

    /// Wait until all stations are associated.
    void AwaitAssociation();

    const NodeContainer& GetNodes() const;                         //!< @return nodes of stations
    Ptr<Node> GetAccessPoint() const;                              //!< @return the access point
    const std::vector<Ptr<SaturatedStation>>& GetStations() const; //!< @return the stations

    uint32_t GetPayload() const; //!< @return bytes in a frame, without headers

    /**
     * @return the transmission time of a frame, without the acknowledgement
     */
    Time GetFrameTime() const;

    /**
     * @return the time between two frames of a single station without back-off: frame, SIFS,
     * acknowledgement, AIFS
     */
    Time GetExchangeTime() const;

  private:
    /**
     * Build network devices.
     *
     * @return devices of stations, the access point's device last
     */
    NetDeviceContainer BuildDevices();

    uint32_t m_payload;                            //!< Bytes in a frame
    NodeContainer m_nodes;                         //!< Nodes of stations
    NodeContainer m_accessPoint;                   //!< Node of the access point
    NetDeviceContainer m_devices;                  //!< Devices of stations and access point
    std::vector<Ptr<SaturatedStation>> m_stations; //!< Station on each node
};

} // namespace ns3

#endif // WIFI_CELL_H
