// SPDX-License-Identifier: GPL-2.0-only

#ifndef CONTAINERS_H
#define CONTAINERS_H

#include "object-handle.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <vector>

namespace ns3
{

using Nodes = std::vector<NodeHandle>;     //!< Nodes in Python
using Devices = std::vector<DeviceHandle>; //!< Devices in Python

/**
 * @param handles The Python objects.
 * @return the nodes
 */
inline NodeContainer
ToNodes(const Nodes& handles)
{
    NodeContainer nodes;
    for (const auto& each : handles)
    {
        nodes.Add(Unwrap<Node>(each));
    }
    return nodes;
}

/**
 * @param handles The Python objects.
 * @return the devices
 */
inline NetDeviceContainer
ToDevices(const Devices& handles)
{
    NetDeviceContainer devices;
    for (const auto& each : handles)
    {
        devices.Add(Unwrap<NetDevice>(each));
    }
    return devices;
}

/**
 * @param devices Network devices.
 * @return the Python objects of the devices
 */
inline nb::list
FromDevices(const NetDeviceContainer& devices)
{
    nb::list list;
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        list.append(Wrap(*device));
    }
    return list;
}

} // namespace ns3

#endif /* CONTAINERS_H */
