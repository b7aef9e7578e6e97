// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_NETWORK_H
#define QUEUE_NETWORK_H

#include "ns3/applications-module.h"
#include "ns3/defiance-module.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"

// Connect two nodes; return the queue of the first one, in which its packets wait for the link.
inline ns3::Ptr<ns3::Queue<ns3::Packet>>
BuildLink(const ns3::NodeContainer& nodes, ns3::DataRate dataRate, ns3::Time delay)
{
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::DataRateValue(dataRate));
    link.SetChannelAttribute("Delay", ns3::TimeValue(delay));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue("20p"));
    link.DisableFlowControl(); // no queue disc before the device's queue
    auto devices = link.Install(nodes);
    ns3::InternetStackHelper().Install(nodes);
    ns3::Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    return ns3::DynamicCast<ns3::PointToPointNetDevice>(devices.Get(0))->GetQueue();
}

// Install traffic from the first node to the second; return the application with the rate.
inline ns3::Ptr<ns3::Application>
InstallTraffic(const ns3::NodeContainer& nodes, ns3::DataRate dataRate)
{
    const ns3::InetSocketAddress receiver("10.0.0.2", 9);
    ns3::PacketSinkHelper("ns3::UdpSocketFactory", receiver).Install(nodes.Get(1));
    ns3::OnOffHelper bursts("ns3::UdpSocketFactory", receiver);
    const ns3::StringValue halfSecond("ns3::ExponentialRandomVariable[Mean=0.5]");
    bursts.SetAttribute("DataRate", ns3::DataRateValue(dataRate * 0.5));
    bursts.SetAttribute("PacketSize", ns3::UintegerValue(1000));
    bursts.SetAttribute("OnTime", halfSecond);
    bursts.SetAttribute("OffTime", halfSecond);
    bursts.Install(nodes.Get(0));
    ns3::OnOffHelper source("ns3::UdpSocketFactory", receiver);
    source.SetConstantRate(dataRate * 0.25, 1000);
    return source.Install(nodes.Get(0)).Get(0);
}

#endif /* QUEUE_NETWORK_H */
