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
 * @brief Stations that always have frames for their access point, around it, and the sender of
 * another cell on the same channel if there is to be one.
 *
 * Random variables of a station have their own streams, whatever chooses its rates. So all
 * algorithms see the same back-off, fading and interference as long as they send the same frames.
 */
class RateNetwork
{
  public:
    /**
     * Build it. Nothing is sent before the simulator runs.
     *
     * @param parameters Its properties.
     * @param logs Whether statistics keep each frame.
     */
    explicit RateNetwork(const NetworkParameters& parameters, bool logs = false);
    RateNetwork(const RateNetwork&) = delete;
    RateNetwork& operator=(const RateNetwork&) = delete;

    /// Let simulated time pass until all stations are associated.
    void AwaitAssociation();

    /// Stations send, walk and interfere from now on.
    void Start();

    const NodeContainer& GetNodes() const; //!< @return nodes of the stations

    /**
     * @param station Number of a station.
     * @return what it has sent
     */
    Ptr<SaturatedStation> GetStation(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return what it knows of its frames
     */
    Ptr<LinkStatistics> GetStatistics(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return what asks its agent; null: an algorithm of ns-3 chooses its rates
     */
    Ptr<AgentRateManager> GetManager(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return its distance from the access point now, in m
     */
    double GetDistance(uint32_t station) const;

    /**
     * @param station Number of a station.
     * @return the random stream that what chooses its rates has
     */
    static int64_t GetManagerStream(uint32_t station);

  private:
    /**
     * Build the other cell, an ad hoc network.
     *
     * @param wifi Builds devices.
     * @param phy Builds their physical layers.
     */
    void BuildInterferer(WifiHelper& wifi, YansWifiPhyHelper& phy);

    /**
     * Build the channel, and what all devices on it have in common.
     *
     * @return what builds physical layers
     */
    YansWifiPhyHelper MakePhy() const;

    /**
     * Choose what chooses rates.
     *
     * @param wifi Builds the devices.
     * @param algorithm Its name.
     */
    void SetAlgorithm(WifiHelper& wifi, const std::string& algorithm) const;

    /**
     * Prepare the devices of a cell.
     *
     * @param devices Built.
     * @param first Number of the first of them, for random streams.
     */
    void Prepare(const NetDeviceContainer& devices, uint32_t first) const;

    /**
     * Put a station where it begins.
     *
     * @param station Its number.
     */
    void Place(uint32_t station);

    /**
     * Have a station turn.
     *
     * @param station Its number.
     * @param isOutward Away from the access point, and back afterwards.
     */
    void Walk(uint32_t station, bool isOutward);

    NetworkParameters m_parameters;               //!< Its properties
    NodeContainer m_nodes;                        //!< Of the stations
    NodeContainer m_accessPoint;                  //!< Of the access point
    NetDeviceContainer m_devices;                 //!< Of the stations
    NetDeviceContainer m_interfererDevice;        //!< Of the other cell's sender, if there is one
    std::vector<Ptr<SaturatedStation>> m_senders; //!< One on each node
    Ptr<PoissonSender> m_interferer;              //!< The other cell's sender, or null
};

} // namespace ns3

#endif // RATE_NETWORK_H
