// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDED_NETWORK_H
#define RECORDED_NETWORK_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/ptr.h"
#include "ns3/vector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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
 * @brief The nodes, devices and links of the simulation at one moment.
 */
class RecordedNetwork
{
  public:
    /** Read all nodes. */
    RecordedNetwork();

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
    void Release();

  private:
    /**
     * @param device A device on a link.
     */
    void Add(Ptr<NetDevice> device);

    /**
     * @param device A device.
     * @param kind Kind of the device.
     * @return position of its link, which is new with its first device
     */
    std::size_t FindLink(Ptr<NetDevice> device, const std::string& kind);

    std::vector<RecordedNode> m_nodes;     //!< All nodes
    std::vector<RecordedLink> m_links;     //!< The connections of nodes
    std::vector<RecordedDevice> m_devices; //!< Devices of all nodes
};

/**
 * @param node A node.
 * @return the name by Names, or from the id: "node_3"
 */
std::string GetNodeName(Ptr<Node> node);

/**
 * @param device A device.
 * @return the prefix of its attributes and trace sources in Config
 */
std::string GetConfigPath(const RecordedDevice& device);

/**
 * @param device A device.
 * @return the data rate of its frames; nothing if unknown
 */
std::optional<DataRate> FindDataRate(Ptr<NetDevice> device);

} // namespace ns3

#endif /* RECORDED_NETWORK_H */
