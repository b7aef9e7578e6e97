// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "containers.h"
#include "object-handle.h"
#include "simple-values.h"
#include "trace-link-device.h"

#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace ns3
{

namespace
{

constexpr uint16_t ETHERNET_MTU = 1500; //!< Largest packet that a frame holds, in bytes

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
        RaiseValueError(Describe(value) + " is not a delay: it is negative");
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
        RaiseValueError("a link of 0bps would never send a packet");
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
 * @param value A file in a format of ParseTrace(), or times in ms.
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
        Raise(nb::type_error,
              "capacity must be the path of a file, or a list of times in whole "
              "milliseconds");
    }
    if (!fault.empty())
    {
        RaiseValueError(name + " " + fault);
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

} // namespace

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
}

} // namespace ns3
