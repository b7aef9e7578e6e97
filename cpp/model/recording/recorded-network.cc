// SPDX-License-Identifier: GPL-2.0-only

#include "private/recorded-network.h"

#include "ns3/mobility-model.h"
#include "ns3/names.h"
#include "ns3/node-list.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

constexpr const char* OTHER = "other"; // kind of a link without known devices

/**
 * @param device A device.
 * @return the kind of the device
 */
std::string
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
std::optional<int64_t>
FindDelay(Ptr<Channel> channel)
{
    TimeValue delay;
    if (channel && channel->GetAttributeFailSafe("Delay", delay))
    {
        return delay.Get().GetNanoSeconds();
    }
    return std::nullopt;
}

} // namespace

RecordedNetwork::RecordedNetwork()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto mobility = (*node)->GetObject<MobilityModel>();
        m_nodes.push_back(
            {GetNodeName(*node), mobility ? std::optional(mobility->GetPosition()) : std::nullopt});
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
        {
            Add((*node)->GetDevice(i));
        }
    }
}

void
RecordedNetwork::Release()
{
    m_devices.clear();
    for (auto& link : m_links)
    {
        link.channel = nullptr;
    }
}

void
RecordedNetwork::Add(Ptr<NetDevice> device)
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

std::size_t
RecordedNetwork::FindLink(Ptr<NetDevice> device, const std::string& kind)
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

std::string
GetNodeName(Ptr<Node> node)
{
    const auto name = Names::FindName(node);
    return name.empty() ? "node_" + std::to_string(node->GetId()) : name;
}

std::string
GetConfigPath(const RecordedDevice& device)
{
    return "/NodeList/" + std::to_string(device.device->GetNode()->GetId()) + "/DeviceList/" +
           std::to_string(device.device->GetIfIndex()) + "/";
}

std::optional<DataRate>
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

} // namespace ns3
