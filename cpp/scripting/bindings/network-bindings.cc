// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "containers.h"
#include "object-handle.h"
#include "simple-values.h"

#include "ns3/csma-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-list-routing-helper.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/ping.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/traffic-control-layer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace ns3
{

namespace
{

/**
 * @param devices Devices of one network.
 * @param network An address such as "10.1.1.0".
 * @param mask A mask such as "255.255.255.0".
 * @return the addresses of the devices
 */
nb::list
AssignIpv4(const Devices& devices, const std::string& network, const std::string& mask)
{
    Ipv4AddressHelper helper(network.c_str(), mask.c_str());
    const auto interfaces = helper.Assign(ToDevices(devices));
    // ns-3 compares each new address with all before. Link.assign() has refused assigned addresses.
    Ipv4AddressGenerator::Reset();
    nb::list addresses;
    for (uint32_t i = 0; i < interfaces.GetN(); ++i)
    {
        addresses.append(FromAddress(interfaces.GetAddress(i)));
    }
    return addresses;
}

/**
 * @param devices Devices of one network.
 * @param network An address such as "2001:db8::".
 * @param prefix Length of its prefix.
 * @return the addresses of the devices
 */
nb::list
AssignIpv6(const Devices& devices, const std::string& network, uint8_t prefix)
{
    Ipv6AddressHelper helper(Ipv6Address(network.c_str()), Ipv6Prefix(prefix));
    const auto interfaces = helper.Assign(ToDevices(devices));
    nb::list addresses;
    for (uint32_t i = 0; i < interfaces.GetN(); ++i)
    {
        addresses.append(FromAddress(interfaces.GetAddress(i, 1)));
    }
    return addresses;
}

/**
 * @param node A node.
 * @param network Destination, such as "10.1.2.0"; "0.0.0.0" with mask "0.0.0.0": anywhere.
 * @param mask A mask such as "255.255.255.0".
 * @param gateway Next hop.
 */
void
AddRoute(const NodeHandle& node,
         const std::string& network,
         const std::string& mask,
         const std::string& gateway)
{
    const auto ipv4 = Unwrap<Node>(node)->GetObject<Ipv4>();
    const auto routing = ipv4 ? Ipv4StaticRoutingHelper().GetStaticRouting(ipv4) : nullptr;
    if (!routing)
    {
        RaiseValueError("the node has no Internet stack with static routes");
    }
    const Ipv4Address next(gateway.c_str());
    for (uint32_t i = 1; i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            const auto own = ipv4->GetAddress(i, j);
            if (own.GetMask().IsMatch(own.GetLocal(), next))
            {
                routing->AddNetworkRouteTo(network.c_str(), Ipv4Mask(mask.c_str()), next, i);
                return;
            }
        }
    }
    RaiseValueError("the node does not reach " + gateway + " on any of its links");
}

/**
 * Add an IPv4 routing protocol to a node.
 *
 * @param node The node, before it has links: protocols learn of new links.
 * @param handle The protocol.
 * @param priority Of several protocols with a route, the protocol with the highest priority is
 * used.
 */
void
AddRouting(const NodeHandle& node, const ObjectHandle& handle, int16_t priority)
{
    const auto protocol = Unwrap<Ipv4RoutingProtocol>(handle);
    const auto ipv4 = Unwrap<Node>(node)->GetObject<Ipv4>();
    const auto protocols =
        ipv4 ? DynamicCast<Ipv4ListRouting>(ipv4->GetRoutingProtocol()) : nullptr;
    if (!protocols)
    {
        RaiseValueError("the node has no Internet stack to which routing protocols can be "
                        "added");
    }
    if (ipv4->GetNInterfaces() > 1)
    {
        RaiseValueError("the node has addresses already: add routing protocols before them");
    }
    Unwrap<Node>(node)->AggregateObject(protocol);
    protocols->AddRoutingProtocol(protocol, priority);
}

/**
 * Replace the queue disc of a device.
 *
 * @param device The device.
 * @param handle The queue disc.
 */
void
SetQueueDisc(const DeviceHandle& device, const ObjectHandle& handle)
{
    const auto disc = Unwrap<QueueDisc>(handle);
    const auto netDevice = Unwrap<NetDevice>(device);
    const auto node = netDevice->GetNode();
    const auto layer = node->GetObject<TrafficControlLayer>();
    if (!layer || !netDevice->GetObject<NetDeviceQueueInterface>())
    {
        RaiseValueError("the device has no queue disc: its node has no Internet stack, or "
                        "its link was made with flow_control=False");
    }
    if (node->IsInitialized())
    {
        RaiseValueError("the episode has begun: set attributes of the present queue disc");
    }
    if (layer->GetRootQueueDiscOnDevice(netDevice))
    {
        layer->DeleteRootQueueDiscOnDevice(netDevice);
    }
    layer->SetRootQueueDiscOnDevice(netDevice, disc);
}

/**
 * @param prefix Prefix of the names of files, which are written to the working directory.
 * @param device Device of the files.
 * @param promiscuous Whether to record packets for others, too.
 */
void
RecordPcap(const std::string& prefix, const DeviceHandle& device, bool promiscuous)
{
    const auto netDevice = Unwrap<NetDevice>(device);
    const auto type = netDevice->GetInstanceTypeId().GetName();
    if (type == "ns3::PointToPointNetDevice")
    {
        PointToPointHelper().EnablePcap(prefix, netDevice, promiscuous);
    }
    else if (type == "ns3::CsmaNetDevice")
    {
        CsmaHelper().EnablePcap(prefix, netDevice, promiscuous);
    }
    else
    {
        RaiseValueError("cannot record packets of a " + type);
    }
}

/**
 * @param nodes Nodes to place.
 * @param positions x, y and z of each node, in m.
 */
void
PlaceNodes(const Nodes& nodes, const nb::list& positions)
{
    auto allocator = CreateObject<ListPositionAllocator>();
    for (const auto each : positions)
    {
        allocator->Add(ToPosition(each));
    }
    MobilityHelper helper;
    helper.SetPositionAllocator(allocator);
    helper.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    helper.Install(ToNodes(nodes));
}

} // namespace

void
BindNetwork(nb::module_& module)
{
    BindFlowMonitor(module);
    Ping::GetTypeId(); // so that the linker keeps Ping's module
    module.def("install_internet",
               [](const Nodes& nodes) { InternetStackHelper().Install(ToNodes(nodes)); });
    module.def("has_internet", [](const NodeHandle& node) {
        return Unwrap<Node>(node)->GetObject<Ipv4>() != nullptr;
    });
    module.def("assign_ipv4", &AssignIpv4);
    module.def("assign_ipv6", &AssignIpv6);
    module.def("add_route", &AddRoute);
    module.def("add_routing", &AddRouting);
    module.def("place", &PlaceNodes);
    module.def("pcap", &RecordPcap);
    module.def("set_queue_disc", &SetQueueDisc);
    module.def("populate_routes", [] { Ipv4GlobalRoutingHelper::PopulateRoutingTables(); });
}

} // namespace ns3
