// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDED_NETWORK_H
#define RECORDED_NETWORK_H

#include "ns3/channel.h"
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
    std::string name;               //!< By Names, or of its id
    std::optional<Vector> position; //!< Where it was; nothing: nowhere in particular
};

/** A medium through which nodes reach each other: a wire, a bus, or the radio channel of some
 * devices. */
struct RecordedLink
{
    std::string kind;             //!< "point-to-point", "csma", "wifi", "lte" or "other"
    std::string name;             //!< By Names, or of its kind and number
    Ptr<Channel> channel;         //!< Null: the devices have none to show, as those of LTE
    std::vector<uint32_t> nodes;  //!< Ids of those that have a device on it, ascending
    std::optional<int64_t> rate;  //!< Bits per second; nothing: not one for all devices
    std::optional<int64_t> delay; //!< Propagation, in nanoseconds; nothing: none that is fixed
};

/** A device on a link. */
struct RecordedDevice
{
    Ptr<NetDevice> device; //!< The device
    std::string kind;      //!< As of links
    std::size_t link;      //!< Position of its link
};

/**
 * @brief The nodes, devices and links of the simulation, as they are found at one moment.
 */
class RecordedNetwork
{
  public:
    /** Look at all nodes. */
    RecordedNetwork();

    /**
     * @return the nodes, by id
     */
    const std::vector<RecordedNode>& GetNodes() const;

    /**
     * @return the links, in the order of their first devices
     */
    const std::vector<RecordedLink>& GetLinks() const;

    /**
     * @return the devices that are on links, by node and number
     */
    const std::vector<RecordedDevice>& GetDevices() const;

    /** Let go of devices and channels: files of theirs are whole when nobody holds them. */
    void Release();

  private:
    /**
     * @param device A device on a link.
     */
    void Add(Ptr<NetDevice> device);

    /**
     * @param device A device.
     * @param kind Its kind.
     * @return position of its link, which is new if it is the first device there
     */
    std::size_t FindLink(Ptr<NetDevice> device, const std::string& kind);

    std::vector<RecordedNode> m_nodes;     //!< All of them
    std::vector<RecordedLink> m_links;     //!< The connections of nodes
    std::vector<RecordedDevice> m_devices; //!< Of nodes
};

/**
 * @param node A node.
 * @return its name by Names, or of its id: "node_3"
 */
std::string GetNodeName(Ptr<Node> node);

/**
 * @param device A device.
 * @return what the names of its attributes and trace sources begin with in Config
 */
std::string GetConfigPath(const RecordedDevice& device);

} // namespace ns3

#endif /* RECORDED_NETWORK_H */
