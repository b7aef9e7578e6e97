// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "object-handle.h"
#include "simple-values.h"
#include "trace-link-device.h"

#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
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
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace ns3
{

namespace
{

using Nodes = std::vector<NodeHandle>;     //!< Nodes in Python
using Devices = std::vector<DeviceHandle>; //!< Devices in Python

constexpr uint16_t ETHERNET_MTU = 1500; //!< Largest packet that a frame holds, in bytes

/**
 * @param handles The Python object.
 * @return the nodes
 */
NodeContainer
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
 * @param handles The Python object.
 * @return the devices
 */
NetDeviceContainer
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
nb::list
FromDevices(const NetDeviceContainer& devices)
{
    nb::list list;
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        list.append(Wrap(*device));
    }
    return list;
}

/**
 * @param helper Helper of links.
 * @param queue Queue size of a device, such as "100p"; raise ValueError if it is invalid.
 * @param flowControl Whether queue discs hold back packets while the device's queue is full.
 */
template <typename Helper>
void
SetQueue(Helper& helper, nb::handle queue, bool flowControl)
{
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(ToQueueSize(queue)));
    if (!flowControl)
    {
        helper.DisableFlowControl();
    }
}

/**
 * @param value A delay.
 * @return the delay of a channel; raise ValueError if it is invalid or negative
 */
TimeValue
ToDelay(nb::handle value)
{
    const auto delay = ToTime(value);
    if (delay.IsStrictlyNegative())
    {
        throw nb::value_error((Describe(value) + " is not a delay: it is negative").c_str());
    }
    return TimeValue(delay);
}

/**
 * @param value A data rate.
 * @return the data rate of a device; raise ValueError if it is invalid or zero
 */
DataRateValue
ToLinkRate(nb::handle value)
{
    const auto rate = ToDataRate(value);
    if (rate.GetBitRate() == 0)
    {
        throw nb::value_error("a link of 0bps would never send a packet");
    }
    return DataRateValue(rate);
}

/**
 * @param nodes Two nodes.
 * @param rate Data rate.
 * @param delay One-way delay.
 * @param queue See SetQueue().
 * @param flowControl See SetQueue().
 * @return a device on each
 */
nb::list
LinkPointToPoint(const Nodes& nodes,
                 nb::handle rate,
                 nb::handle delay,
                 nb::handle queue,
                 bool flowControl)
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", ToLinkRate(rate));
    helper.SetChannelAttribute("Delay", ToDelay(delay));
    SetQueue(helper, queue, flowControl);
    return FromDevices(helper.Install(ToNodes(nodes)));
}

/**
 * @param value A file in Mahimahi's format, or the times of its lines in ms.
 * @return the trace; raise ValueError or TypeError if it is invalid
 */
CapacityTrace
ToTrace(nb::handle value)
{
    std::string name = "capacity";
    std::string fault;
    CapacityTrace trace;
    if (std::vector<uint32_t> times; nb::try_cast(value, times))
    {
        trace = CapacityTrace::Make(std::move(times), fault);
    }
    else if (nb::try_cast(value, name))
    {
        trace = CapacityTrace::Read(name, fault);
    }
    else
    {
        throw nb::type_error("capacity must be the path of a file, or a list of times in whole "
                             "milliseconds");
    }
    if (!fault.empty())
    {
        throw nb::value_error((name + " " + fault).c_str());
    }
    return trace;
}

/**
 * Link two nodes; the first node sends according to a trace.
 *
 * @param nodes Two nodes.
 * @param value See ToTrace().
 * @param rate Data rate of the second node.
 * @param delay One-way delay.
 * @param queue See SetQueue().
 * @param flowControl See SetQueue().
 * @return a device on each
 */
nb::list
LinkByTrace(const Nodes& nodes,
            nb::handle value,
            nb::handle rate,
            nb::handle delay,
            nb::handle queue,
            bool flowControl)
{
    const auto traced = CreateObject<TraceLinkDevice>();
    traced->SetTrace(ToTrace(value), Simulator::Now());
    const auto other = CreateObject<PointToPointNetDevice>();
    other->SetAttribute("DataRate", ToLinkRate(rate));
    const auto channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", ToDelay(delay));
    NetDeviceContainer devices(traced);
    devices.Add(other);
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const auto device = DynamicCast<PointToPointNetDevice>(devices.Get(i));
        device->SetAddress(Mac48Address::Allocate());
        Unwrap<Node>(nodes[i])->AddDevice(device);
        const auto waiting = CreateObject<DropTailQueue<Packet>>();
        waiting->SetMaxSize(ToQueueSize(queue));
        device->SetQueue(waiting);
        if (flowControl)
        {
            const auto interface = CreateObject<NetDeviceQueueInterface>();
            interface->GetTxQueue(0)->ConnectQueueTraces(waiting);
            device->AggregateObject(interface);
        }
        device->Attach(channel);
    }
    return FromDevices(devices);
}

/**
 * @param nodes Nodes on one cable.
 * @param rate Data rate.
 * @param delay One-way delay.
 * @param queue See SetQueue().
 * @param flowControl See SetQueue().
 * @return a device on each
 */
nb::list
LinkCsma(const Nodes& nodes, nb::handle rate, nb::handle delay, nb::handle queue, bool flowControl)
{
    CsmaHelper helper;
    helper.SetChannelAttribute("DataRate", ToLinkRate(rate));
    helper.SetChannelAttribute("Delay", ToDelay(delay));
    SetQueue(helper, queue, flowControl);
    return FromDevices(helper.Install(ToNodes(nodes)));
}

/**
 * Link two nodes with a full-duplex Ethernet cable, which may lead to a switch.
 *
 * @param nodes Two nodes.
 * @param rate Data rate in each direction.
 * @param delay One-way delay.
 * @return a device on each
 */
nb::list
LinkEthernet(const Nodes& nodes, nb::handle rate, nb::handle delay)
{
    SimpleNetDeviceHelper helper;
    helper.SetDeviceAttribute("DataRate", ToLinkRate(rate));
    helper.SetChannelAttribute("Delay", ToDelay(delay));
    const auto devices = helper.Install(ToNodes(nodes));
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        (*device)->SetMtu(ETHERNET_MTU);
    }
    return FromDevices(devices);
}

/**
 * @param devices Devices that lose received packets.
 * @param rate Probability of a packet's loss.
 */
void
LosePackets(const Devices& devices, double rate)
{
    for (const auto& each : devices)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(rate);
        Unwrap<NetDevice>(each)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }
}

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
        throw nb::value_error("the node has no Internet stack with static routes");
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
    throw nb::value_error(("the node does not reach " + gateway + " on any of its links").c_str());
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
        throw nb::value_error("the node has no Internet stack to which routing protocols can be "
                              "added");
    }
    if (ipv4->GetNInterfaces() > 1)
    {
        throw nb::value_error("the node has addresses already: add routing protocols before them");
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
        throw nb::value_error("the device has no queue disc: its node has no Internet stack, or "
                              "its link was made with flow_control=False");
    }
    if (node->IsInitialized())
    {
        throw nb::value_error("the episode has begun: set attributes of the present queue disc");
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
        throw nb::value_error(("cannot record packets of a " + type).c_str());
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

/// @param module Module of the functions.
void
BindLinks(nb::module_& module)
{
    const auto nodes = nb::arg("nodes");
    const auto rate = nb::arg("rate").none(); // for our own message
    const auto delay = nb::arg("delay").none();
    const auto queue = nb::arg("queue").none();
    const auto control = nb::arg("flow_control");
    module.def("point_to_point", &LinkPointToPoint, nodes, rate, delay, queue, control);
    module.def("point_to_point_by_trace",
               &LinkByTrace,
               nodes,
               nb::arg("capacity"),
               rate,
               delay,
               queue,
               control);
    module.def("csma", &LinkCsma, nodes, rate, delay, queue, control);
    module.def("ethernet", &LinkEthernet, nodes, rate, delay);
    module.def("bridge", [](const NodeHandle& node, const Devices& ports) {
        BridgeHelper().Install(Unwrap<Node>(node), ToDevices(ports));
    });
    module.def("lose_packets", &LosePackets);
    module.def("place", &PlaceNodes);
    module.def("pcap", &RecordPcap);
}

} // namespace

void
BindNetwork(nb::module_& module)
{
    BindLinks(module);
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
    module.def("set_queue_disc", &SetQueueDisc);
    module.def("populate_routes", [] { Ipv4GlobalRoutingHelper::PopulateRoutingTables(); });
}

} // namespace ns3
