// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDED_NETWORK_H
#define RECORDED_NETWORK_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/mobility-model.h"
#include "ns3/names.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/vector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

constexpr const char* OTHER = "other"; // kind of a link without known devices

/**
 * @param device A device.
 * @return the kind of the device
 */
inline std::string
FindLinkKind(Ptr<NetDevice> device)
{
    static constexpr std::array<std::array<const char*, 2>, 4> kinds{
        {{"ns3::PointToPointNetDevice", "point-to-point"},
         {"ns3::CsmaNetDevice", "csma"},
         {"ns3::WifiNetDevice", "wifi"},
         {"ns3::LteNetDevice", "lte"}}};
    for (auto type = device->GetInstanceTypeId(); type != Object::GetTypeId();
         type = type.GetParent())
    {
        const auto found = std::find_if(kinds.begin(), kinds.end(), [&type](const auto& kind) {
            return type.GetName() == kind[0];
        });
        if (found != kinds.end())
        {
            return (*found)[1];
        }
    }
    return OTHER;
}

/**
 * @param channel A channel, or null.
 * @return the propagation delay in nanoseconds, if it is the same for all devices
 */
inline std::optional<int64_t>
FindDelay(Ptr<Channel> channel)
{
    TimeValue delay;
    if (channel && channel->GetAttributeFailSafe("Delay", delay))
    {
        return delay.Get().GetNanoSeconds();
    }
    return std::nullopt;
}

/** A node. */
struct RecordedNode
{
    std::string name;               //!< Name by Names, or from the id
    std::optional<Vector> position; //!< Position; none: the node has no position
};

/** A medium between nodes: a wire, a bus, or the radio channel of some devices. */
struct RecordedLink
{
    std::string kind;             //!< "point-to-point", "csma", "wifi", "lte" or "other"
    std::string name;             //!< Name by Names, or from kind and number
    Ptr<Channel> channel;         //!< Channel; null: LTE, whose devices report none
    std::vector<uint32_t> nodes;  //!< Ids of attached nodes, ascending
    std::optional<int64_t> rate;  //!< Data rate in bit/s; none: devices differ
    std::optional<int64_t> delay; //!< Propagation in nanoseconds; none: not fixed
};

/** A device on a link. */
struct RecordedDevice
{
    Ptr<NetDevice> device; //!< The device
    std::string kind;      //!< Kind of its link
    std::size_t link;      //!< Position of the link
};

/**
 * @param node A node.
 * @return the name by Names, or from the id: "node_3"
 */
inline std::string
GetNodeName(Ptr<Node> node)
{
    const auto name = Names::FindName(node);
    return name.empty() ? "node_" + std::to_string(node->GetId()) : name;
}

/**
 * @param device A device.
 * @return the prefix of its attributes and trace sources in Config
 */
inline std::string
GetConfigPath(const RecordedDevice& device)
{
    return "/NodeList/" + std::to_string(device.device->GetNode()->GetId()) + "/DeviceList/" +
           std::to_string(device.device->GetIfIndex()) + "/";
}

/**
 * @param device A device.
 * @return the data rate of its frames; nothing if unknown
 */
inline std::optional<DataRate>
FindDataRate(Ptr<NetDevice> device)
{
    DataRateValue rate;
    const Ptr<Channel> channel = device->GetChannel();
    if (device->GetAttributeFailSafe("DataRate", rate) ||
        (channel && channel->GetAttributeFailSafe("DataRate", rate)))
    {
        return rate.Get();
    }
    return std::nullopt;
}

/**
 * @brief The nodes, devices and links of the simulation at one moment.
 */
class RecordedNetwork
{
  public:
    /** Read all nodes. */
    RecordedNetwork()
    {
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            const auto mobility = (*node)->GetObject<MobilityModel>();
            m_nodes.push_back({GetNodeName(*node),
                               mobility ? std::optional(mobility->GetPosition()) : std::nullopt});
            for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
            {
                Add((*node)->GetDevice(i));
            }
        }
    }

    /**
     * @return the nodes, by id
     */
    const std::vector<RecordedNode>& GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @return the links, in the order of their first devices
     */
    const std::vector<RecordedLink>& GetLinks() const
    {
        return m_links;
    }

    /**
     * @return the devices that are on links, by node and number
     */
    const std::vector<RecordedDevice>& GetDevices() const
    {
        return m_devices;
    }

    /** Release devices and channels: their own files are complete when no object holds them. */
    void Release()
    {
        m_devices.clear();
        for (auto& link : m_links)
        {
            link.channel = nullptr;
        }
    }

  private:
    /**
     * @param device A device on a link.
     */
    void Add(Ptr<NetDevice> device)
    {
        const auto kind = FindLinkKind(device);
        if (!device->GetChannel() && kind != "lte")
        {
            return; // loopback, bridges, tunnels
        }
        const auto index = FindLink(device, kind);
        auto& link = m_links[index];
        link.kind = link.kind == OTHER ? kind : link.kind;
        const auto node = device->GetNode()->GetId();
        if (link.nodes.empty() || link.nodes.back() != node)
        {
            link.nodes.push_back(node);
        }
        m_devices.push_back({device, kind, index});
    }

    /**
     * @param device A device.
     * @param kind Kind of the device.
     * @return position of its link, which is new with its first device
     */
    std::size_t FindLink(Ptr<NetDevice> device, const std::string& kind)
    {
        const auto channel = device->GetChannel();
        const auto known = std::find_if(m_links.begin(), m_links.end(), [&](const auto& link) {
            return link.channel == channel && (channel || link.kind == kind);
        });
        const auto index = static_cast<std::size_t>(known - m_links.begin());
        const auto found = FindDataRate(device);
        const auto rate = found && found->GetBitRate() > 0
                              ? std::optional(static_cast<int64_t>(found->GetBitRate()))
                              : std::nullopt;
        if (known == m_links.end())
        {
            const auto named = channel ? Names::FindName(channel) : "";
            m_links.push_back({kind,
                               named.empty() ? kind + "_" + std::to_string(index) : named,
                               channel,
                               {},
                               rate,
                               FindDelay(channel)});
        }
        else if (known->rate != rate)
        {
            known->rate = std::nullopt;
        }
        return index;
    }

    std::vector<RecordedNode> m_nodes;     //!< All nodes
    std::vector<RecordedLink> m_links;     //!< The connections of nodes
    std::vector<RecordedDevice> m_devices; //!< Devices of all nodes
};

} // namespace ns3

#endif // RECORDED_NETWORK_H
