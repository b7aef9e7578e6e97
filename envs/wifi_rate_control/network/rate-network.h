// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_NETWORK_H
#define RATE_NETWORK_H

#include "agent-rate-manager.h"
#include "link-statistics.h"
#include "network-parameters.h"
#include "quiet-infrastructure.h"
#include "saturated-station.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/double.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/qos-txop.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-trailer.h"
#include "ns3/yans-wifi-helper.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

namespace ns3
{

constexpr double EXPONENT = 3;             //!< Exponent of the path loss
constexpr double OTHER_CELL = 5;           //!< Its link's length, in m
constexpr int64_t FIRST_STREAM = 100000;   //!< First stream after access networks
constexpr int64_t STREAMS = 100;           //!< Streams of a device
constexpr int64_t MANAGER = 50;            //!< First stream of the rate manager
constexpr int64_t MAC = 60;                //!< First stream of the MAC
constexpr uint32_t OTHERS = 1000;          //!< Number of the first other device
constexpr uint32_t DEPTH = 2;              //!< Packets in a device's queue
constexpr uint32_t AGGREGATED_DEPTH = 512; //!< Frames in a queue, with aggregation
const Time GUARD_INTERVAL = NanoSeconds(800);

const std::map<std::string, WifiStandard> STANDARDS{{"n", WIFI_STANDARD_80211n},
                                                    {"ac", WIFI_STANDARD_80211ac},
                                                    {"ax", WIFI_STANDARD_80211ax}};
const std::map<std::string, std::string> MODES{{"n", "HtMcs"}, {"ac", "VhtMcs"}, {"ax", "HeMcs"}};
const std::map<uint32_t, std::string> CHANNELS{{20, "{36, 20, BAND_5GHZ, 0}"},
                                               {40, "{38, 40, BAND_5GHZ, 0}"},
                                               {80, "{42, 80, BAND_5GHZ, 0}"}};
const std::map<std::string, std::string> ALGORITHMS{
    {"agent", "ns3::AgentRateManager"},
    {"ideal", "ns3::IdealWifiManager"},
    {"minstrel_ht", "ns3::MinstrelHtWifiManager"},
    {"thompson_sampling", "ns3::ThompsonSamplingWifiManager"}};

/**
 * Place nodes on a line through the access point.
 *
 * @param nodes The nodes.
 * @param x Position of the first node, in m; each further node is OTHER_CELL farther out.
 */
inline void
PutAt(const NodeContainer& nodes, double x)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto mobility = CreateObject<ConstantVelocityMobilityModel>();
        mobility->SetPosition({x, 0, 0});
        (*node)->AggregateObject(mobility);
        x -= OTHER_CELL;
    }
}

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
    explicit RateNetwork(const NetworkParameters& parameters, bool logs = false)
        : m_parameters(parameters),
          m_nodes(parameters.stations),
          m_accessPoint(1)
    {
        PutAt(m_accessPoint, 0);
        auto phy = MakePhy();
        WifiHelper wifi;
        wifi.SetStandard(STANDARDS.at(m_parameters.standard));
        if (m_parameters.standard == "ax")
        {
            wifi.ConfigHeOptions("GuardInterval", TimeValue(GUARD_INTERVAL));
        }
        WifiMacHelper mac;
        const Ssid ssid("rate control");
        QuietInfrastructure::ConfigureStations(mac, ssid);
        for (uint32_t i = 0; i < m_parameters.stations; i++)
        {
            Place(i);
            SetAlgorithm(wifi, m_parameters.GetAlgorithm(i));
            m_devices.Add(wifi.Install(phy, mac, m_nodes.Get(i)));
        }
        Prepare(m_devices, 0);
        SetAlgorithm(wifi, "constant");
        QuietInfrastructure::ConfigureAccessPoint(mac, ssid);
        const auto receiver = wifi.Install(phy, mac, m_accessPoint);
        Prepare(receiver, OTHERS);
        if (m_parameters.situation == "interfering")
        {
            BuildInterferer(wifi, phy);
        }
        for (uint32_t i = 0; i < m_parameters.stations; i++)
        {
            const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(i));
            m_senders.push_back(
                Create<SaturatedStation>(device,
                                         receiver.Get(0)->GetAddress(),
                                         m_parameters.payload,
                                         m_parameters.aggregation > 0 ? AGGREGATED_DEPTH : DEPTH));
            m_statistics.push_back(Create<LinkStatistics>(device, logs));
        }
        SaturatedStation::CountAt(receiver.Get(0), m_senders);
    }

    RateNetwork(const RateNetwork&) = delete;
    RateNetwork& operator=(const RateNetwork&) = delete;

    /// Wait until all stations are associated.
    void AwaitAssociation()
    {
        QuietInfrastructure::AwaitAssociation(m_devices);
    }

    /// Start sending, walking and interference.
    void Start()
    {
        for (uint32_t i = 0; i < m_parameters.stations; i++)
        {
            // Agents exist before the first frame.
            Simulator::ScheduleWithContext(m_nodes.Get(i)->GetId(),
                                           MilliSeconds(1),
                                           &SaturatedStation::Join,
                                           m_senders[i]);
            if (m_parameters.situation == "moving")
            {
                Walk(i, true);
            }
        }
        if (m_interferer)
        {
            const auto phy = m_interferer->GetPhy();
            const RateTable table(phy);
            const WifiTxVector slowest(
                table.GetRows().front().mode,
                0,
                GetPreambleForTransmission(RateTable::GetModulationClass(phy), false),
                GUARD_INTERVAL,
                1,
                1,
                0,
                MHz_u(m_parameters.channelWidth),
                false);
            const auto frame =
                WifiPhy::CalculateTxDuration(m_parameters.payload, slowest, WIFI_PHY_BAND_5GHZ);
            m_interval = frame * (1 / m_parameters.interference);
            m_wait->SetStream(FIRST_STREAM / 2 + STREAMS);
            ScheduleInterference();
        }
    }

    /// @return nodes of the stations
    const NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @param station Number of a station.
     * @return its sender
     */
    Ptr<SaturatedStation> GetStation(uint32_t station) const
    {
        return m_senders.at(station);
    }

    /// @return the statistics of all stations
    const std::vector<Ptr<LinkStatistics>>& GetAllStatistics() const
    {
        return m_statistics;
    }

    /**
     * @param station Number of a station.
     * @return its statistics of frames
     */
    Ptr<LinkStatistics> GetStatistics(uint32_t station) const
    {
        return m_statistics.at(station);
    }

    /**
     * @param station Number of a station.
     * @return the rate manager that calls its agent; null: an ns-3 algorithm chooses its rates
     */
    Ptr<AgentRateManager> GetManager(uint32_t station) const
    {
        const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(station));
        return DynamicCast<AgentRateManager>(device->GetRemoteStationManager());
    }

    /**
     * @param station Number of a station.
     * @return its distance from the access point now, in m
     */
    double GetDistance(uint32_t station) const
    {
        return m_nodes.Get(station)->GetObject<MobilityModel>()->GetPosition().GetLength();
    }

    /**
     * @param station Number of a station.
     * @return the random stream of its rate manager
     */
    static int64_t GetManagerStream(uint32_t station)
    {
        return FIRST_STREAM + station * STREAMS + MANAGER;
    }

  private:
    /**
     * Build the other cell, an ad hoc network.
     *
     * @param wifi Helper that builds devices.
     * @param phy Helper that builds their physical layers.
     */
    void BuildInterferer(WifiHelper& wifi, YansWifiPhyHelper& phy)
    {
        const NodeContainer nodes(2);
        PutAt(nodes, -m_parameters.interfererDistance);
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode",
                                     StringValue(MODES.at(m_parameters.standard) + "0"));
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac"); // without beacons, which would collide with the cell's
        const auto sender = wifi.Install(phy, mac, nodes.Get(0));
        const auto receiver = wifi.Install(phy, mac, nodes.Get(1));
        Prepare(sender, OTHERS + 1);
        Prepare(receiver, OTHERS + 2);
        m_interferer = DynamicCast<WifiNetDevice>(sender.Get(0));
        m_interfered = receiver.Get(0)->GetAddress();
    }

    /// Send a frame in the other cell after a time with an exponential distribution
    void ScheduleInterference()
    {
        Simulator::Schedule(m_interval * m_wait->GetValue(1, 0), [this] {
            m_interferer->Send(Create<Packet>(m_parameters.payload),
                               m_interfered,
                               SaturatedStation::PROTOCOL);
            ScheduleInterference();
        });
    }

    /**
     * Build the channel, and the common properties of its devices.
     *
     * @return a helper that builds physical layers
     */
    YansWifiPhyHelper MakePhy() const
    {
        YansWifiChannelHelper builder;
        builder.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
        builder.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                                   "Exponent",
                                   DoubleValue(EXPONENT));
        if (m_parameters.fading > 0)
        {
            const DoubleValue shape(m_parameters.fading);
            builder.AddPropagationLoss("ns3::NakagamiPropagationLossModel",
                                       "m0",
                                       shape,
                                       "m1",
                                       shape,
                                       "m2",
                                       shape);
        }
        const auto channel = builder.Create();
        channel->AssignStreams(FIRST_STREAM / 2);
        YansWifiPhyHelper phy;
        phy.SetChannel(channel);
        phy.Set("ChannelSettings", StringValue(CHANNELS.at(m_parameters.channelWidth)));
        phy.Set("Antennas", UintegerValue(m_parameters.streams));
        phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(m_parameters.streams));
        phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(m_parameters.streams));
        return phy;
    }

    /**
     * Set the rate control.
     *
     * @param wifi Helper that builds the devices.
     * @param algorithm Name of the algorithm.
     */
    void SetAlgorithm(WifiHelper& wifi, const std::string& algorithm) const
    {
        if (algorithm == "constant")
        {
            // 802.11n has an index for each number of streams.
            const auto first = m_parameters.standard == "n" ? 8 * (m_parameters.streams - 1) : 0;
            wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                         "DataMode",
                                         StringValue(MODES.at(m_parameters.standard) +
                                                     std::to_string(first + m_parameters.mcs)));
        }
        else
        {
            wifi.SetRemoteStationManager(ALGORITHMS.at(algorithm));
        }
    }

    /**
     * Prepare the devices of a cell.
     *
     * @param devices The devices.
     * @param first Number of the first device, for random streams.
     */
    void Prepare(const NetDeviceContainer& devices, uint32_t first) const
    {
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            const auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
            const auto mac = device->GetMac();
            mac->SetAttribute("BE_MaxAmpduSize", UintegerValue(m_parameters.aggregation));
            auto stream = FIRST_STREAM + (first + i) * STREAMS;
            device->GetPhy()->AssignStreams(stream);
            device->GetRemoteStationManager()->AssignStreams(stream + MANAGER);
            stream += MAC;
            for (const auto category : {AC_VO, AC_VI, AC_BE, AC_BK})
            {
                stream += mac->GetQosTxop(category)->AssignStreams(stream);
            }
            if (const auto station = DynamicCast<StaWifiMac>(mac))
            {
                station->AssignStreams(stream);
            }
            else if (const auto accessPoint = DynamicCast<ApWifiMac>(mac))
            {
                accessPoint->AssignStreams(stream);
            }
        }
        QuietInfrastructure::KeepFrames(devices);
    }

    /**
     * Set the initial position of a station.
     *
     * @param station Number of the station.
     */
    void Place(uint32_t station)
    {
        const auto angle = 2 * std::numbers::pi * station / m_parameters.stations;
        const auto distance = m_parameters.distance.Get(NetworkParameters::GetAgent(station));
        const auto mobility = CreateObject<ConstantVelocityMobilityModel>();
        mobility->SetPosition({distance * std::cos(angle), distance * std::sin(angle), 0});
        m_nodes.Get(station)->AggregateObject(mobility);
    }

    /**
     * Turn a station around.
     *
     * @param station Number of the station.
     * @param isOutward Whether it moves away from the access point, and back afterwards.
     */
    void Walk(uint32_t station, bool isOutward)
    {
        const auto mobility = m_nodes.Get(station)->GetObject<ConstantVelocityMobilityModel>();
        const auto position = mobility->GetPosition();
        const auto speed = (isOutward ? 1 : -1) * m_parameters.speed / position.GetLength();
        mobility->SetVelocity({speed * position.x, speed * position.y, 0});
        const auto nearest = m_parameters.distance.Get(NetworkParameters::GetAgent(station));
        Simulator::Schedule(Seconds((m_parameters.farthest - nearest) / m_parameters.speed),
                            &RateNetwork::Walk,
                            this,
                            station,
                            !isOutward);
    }

    NetworkParameters m_parameters;                //!< Properties of the network
    NodeContainer m_nodes;                         //!< Nodes of the stations
    NodeContainer m_accessPoint;                   //!< Node of the access point
    NetDeviceContainer m_devices;                  //!< Devices of the stations
    std::vector<Ptr<SaturatedStation>> m_senders;  //!< Sender on each node
    std::vector<Ptr<LinkStatistics>> m_statistics; //!< Statistics of each device
    Ptr<WifiNetDevice> m_interferer;               //!< The other cell's sender, or null
    Address m_interfered;                          //!< Its receiver
    Time m_interval;                               //!< Mean interval of its frames
    Ptr<ExponentialRandomVariable> m_wait{
        CreateObject<ExponentialRandomVariable>()}; //!< Draws multiples of the interval
};

} // namespace ns3

#endif // RATE_NETWORK_H
