// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "simple-values.h"

#include "ns3/flow-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/ipv4-flow-probe.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-flow-classifier.h"
#include "ns3/ipv6-flow-probe.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <nanobind/stl/string.h>

#include <memory>

namespace ns3
{

namespace
{

/**
 * @brief Watches the flows of one IP version. Each version has a monitor: the classifiers of one
 * monitor would give equal numbers to different flows.
 *
 * @tparam Protocol Protocol of a node with this version.
 * @tparam Probe Probe of a node.
 * @tparam Classifier Classifier of packets.
 * @tparam Socket Address and port of a flow.
 */
template <typename Protocol, typename Probe, typename Classifier, typename Socket>
class WatchedFlows
{
  public:
    /// Watch all present nodes with this version.
    WatchedFlows()
    {
        m_monitor->AddFlowClassifier(m_classifier);
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            if ((*node)->template GetObject<Protocol>())
            {
                Create<Probe>(m_monitor, m_classifier, *node);
            }
        }
    }

    ~WatchedFlows()
    {
        m_monitor->Dispose();
    }

    WatchedFlows(const WatchedFlows&) = delete;
    WatchedFlows& operator=(const WatchedFlows&) = delete;

    /// @param [in,out] flows List to extend by the statistics of each flow.
    void AppendTo(nb::list& flows) const
    {
        m_monitor->CheckForLostPackets();
        for (const auto& [id, flow] : m_monitor->GetFlowStats())
        {
            flows.append(FromFlow(m_classifier->FindFlow(id), flow));
        }
    }

  private:
    /**
     * @param tuple Source and destination of the flow.
     * @param flow The statistics.
     * @return the flow in Python
     */
    static nb::dict FromFlow(const typename Classifier::FiveTuple& tuple,
                             const FlowMonitor::FlowStats& flow)
    {
        nb::dict made;
        made["source"] = FromAddress(Socket(tuple.sourceAddress, tuple.sourcePort));
        made["destination"] = FromAddress(Socket(tuple.destinationAddress, tuple.destinationPort));
        made["protocol"] = tuple.protocol;
        made["tx_packets"] = flow.txPackets;
        made["rx_packets"] = flow.rxPackets;
        made["lost_packets"] = flow.lostPackets;
        made["tx_bytes"] = flow.txBytes;
        made["rx_bytes"] = flow.rxBytes;
        made["delay_sum"] = nb::cast(flow.delaySum);
        made["jitter_sum"] = nb::cast(flow.jitterSum);
        return made;
    }

    Ptr<FlowMonitor> m_monitor{CreateObject<FlowMonitor>()}; //!< Counts packets
    Ptr<Classifier> m_classifier{Create<Classifier>()};      //!< Classifies packets
};

/// The flows of a simulation.
struct AllFlows
{
    WatchedFlows<Ipv4L3Protocol, Ipv4FlowProbe, Ipv4FlowClassifier, InetSocketAddress>
        ipv4; //!< IPv4 flows
    WatchedFlows<Ipv6L3Protocol, Ipv6FlowProbe, Ipv6FlowClassifier, Inet6SocketAddress>
        ipv6; //!< IPv6 flows
};

std::unique_ptr<AllFlows> g_flows; //!< The monitors of this simulation

/// Begin to watch all flows between present nodes with an Internet stack.
void
WatchFlows()
{
    if (g_flows)
    {
        RaiseValueError("the flows are watched already");
    }
    g_flows = std::make_unique<AllFlows>();
    Simulator::ScheduleDestroy([] { g_flows.reset(); });
}

} // namespace

void
BindFlowMonitor(nb::module_& module)
{
    module.def("watch_flows", &WatchFlows);
    module.def("flows", [] {
        nb::list flows;
        if (g_flows)
        {
            g_flows->ipv4.AppendTo(flows);
            g_flows->ipv6.AppendTo(flows);
        }
        return flows;
    });
}

} // namespace ns3
