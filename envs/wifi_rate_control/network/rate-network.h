// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_NETWORK_H
#define RATE_NETWORK_H

#include "agent-rate-manager.h"
#include "link-statistics.h"
#include "network-parameters.h"
#include "poisson-sender.h"
#include "saturated-station.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/wifi-helper.h"
#include "ns3/yans-wifi-helper.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Stations that always have frames for their access point, around it, and optionally the
 * sender of another cell on the same channel.
 *
 * Random variables of a station have their own streams, independent of its rate control. So all
 * algorithms have the same back-off, fading and interference while they send the same frames.
 */
class RateNetwork
{
  public:
    /**
     * Build the network. Nothing is sent before the simulator runs.
     *
     * @param parameters Properties of the network.
     * @param logs Whether statistics keep each frame.
     */
    explicit RateNetwork(const NetworkParameters& parameters, bool logs = false);
    RateNetwork(const RateNetwork&) = delete;
    RateNetwork& operator=(const RateNetwork&) = delete;

    /// Wait until all stations are associated.
    void AwaitAssociation();

    /// Start sending, walking and interference.
    void Start();

    const NodeContainer& GetNodes() const; //!< @return nodes of the stations

    /**
     * @param station Number of a station.
     * @return its sender
     */
    Ptr<SaturatedStation> GetStation(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return its statistics of frames
     */
    Ptr<LinkStatistics> GetStatistics(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return the rate manager that calls its agent; null: an ns-3 algorithm chooses its rates
     */
    Ptr<AgentRateManager> GetManager(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return its distance from the access point now, in m
     */
    double GetDistance(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return the random stream of its rate manager
     */
    static int64_t GetManagerStream(uint32_t station);

  private:
    /**
     * Build the other cell, an ad hoc network.
     *
     * @param wifi Helper that builds devices.
     * @param phy Helper that builds their physical layers.
     */
    void BuildInterferer(WifiHelper& wifi, YansWifiPhyHelper& phy);

    /**
     * Build the channel, and the common properties of its devices.
     *
     * @return a helper that builds physical layers
     */
    YansWifiPhyHelper MakePhy() const;

    /**
     * Set the rate control.
     *
     * @param wifi Helper that builds the devices.
     * @param algorithm Name of the algorithm.
     */
    void SetAlgorithm(WifiHelper& wifi, const std::string& algorithm) const;

    /**
     * Prepare the devices of a cell.
     *
     * @param devices The devices.
     * @param first Number of the first device, for random streams.
     */
    void Prepare(const NetDeviceContainer& devices, uint32_t first) const;

    /**
     * Set the initial position of a station.
     *
     * @param station Number of the station.
     */
    void Place(uint32_t station);

    /**
     * Turn a station around.
     *
     * @param station Number of the station.
     * @param isOutward Whether it moves away from the access point, and back afterwards.
     */
    void Walk(uint32_t station, bool isOutward);

    NetworkParameters m_parameters;               //!< Properties of the network
    NodeContainer m_nodes;                        //!< Nodes of the stations
    NodeContainer m_accessPoint;                  //!< Node of the access point
    NetDeviceContainer m_devices;                 //!< Devices of the stations
    NetDeviceContainer m_interfererDevice;        //!< Other cell's sender, if there is one
    std::vector<Ptr<SaturatedStation>> m_senders; //!< Sender on each node
    Ptr<PoissonSender> m_interferer;              //!< The other cell's sender, or null
};

} // namespace ns3

#endif // RATE_NETWORK_H
