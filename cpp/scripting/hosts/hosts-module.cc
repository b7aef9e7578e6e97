// SPDX-License-Identifier: GPL-2.0-only

// Real programs for scenarios in Python: the extension module `_scripting_hosts`.

#include "ns3/boolean.h"
#include "ns3/fd-net-device.h"
#include "ns3/global-value.h"
#include "ns3/mac48-address.h"
#include "ns3/node-list.h"

#include <nanobind/nanobind.h>

namespace ns3
{

namespace
{

/**
 * Add a device to a node that exchanges frames with a Linux tap device.
 *
 * Linux drops packets without checksums, so all nodes compute checksums from here on.
 *
 * @param node Number of the node.
 * @return number of the new device
 */
uint32_t
AddDevice(uint32_t node)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    const auto device = CreateObject<FdNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    return NodeList::GetNode(node)->AddDevice(device);
}

/**
 * @param node Number of a node.
 * @param number Number of its device.
 * @param descriptor Descriptor of the tap device; the network device closes it.
 */
void
ConnectTap(uint32_t node, uint32_t number, int descriptor)
{
    DynamicCast<FdNetDevice>(NodeList::GetNode(node)->GetDevice(number))
        ->SetFileDescriptor(descriptor);
}

} // namespace

} // namespace ns3

NB_MODULE(_scripting_hosts, module)
{
    nanobind::set_leak_warnings(false);
    module.def("add_device", &ns3::AddDevice);
    module.def("connect_tap", &ns3::ConnectTap);
}
