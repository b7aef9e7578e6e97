// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-values.h"
#include "bindings.h"

#include "ns3/flow-monitor-helper.h"
#include "ns3/flow-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/simulator.h"

#include <nanobind/stl/string.h>

#include <memory>

namespace ns3
{

namespace
{

std::unique_ptr<FlowMonitorHelper> g_flows; //!< Watches the flows of this simulation

/// Begin to watch all flows between nodes that have an Internet stack by now.
void
WatchFlows()
{
    if (g_flows)
    {
        throw nb::value_error("the flows are watched already");
    }
    g_flows = std::make_unique<FlowMonitorHelper>();
    g_flows->InstallAll();
    Simulator::ScheduleDestroy([] { g_flows.reset(); });
}

/**
 * @param id Number of a flow.
 * @param flow What was seen of it.
 * @return it in Python
 */
nb::dict
FromFlow(FlowId id, const FlowMonitor::FlowStats& flow)
{
    const auto classifier = DynamicCast<Ipv4FlowClassifier>(g_flows->GetClassifier());
    const auto tuple = classifier->FindFlow(id);
    nb::dict made;
    made["source"] = FromAddress(InetSocketAddress(tuple.sourceAddress, tuple.sourcePort));
    made["destination"] =
        FromAddress(InetSocketAddress(tuple.destinationAddress, tuple.destinationPort));
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

} // namespace

void
BindFlowMonitor(nb::module_& module)
{
    module.def("watch_flows", &WatchFlows);
    module.def("flows", [] {
        nb::list flows;
        if (g_flows)
        {
            g_flows->GetMonitor()->CheckForLostPackets();
            for (const auto& [id, flow] : g_flows->GetMonitor()->GetFlowStats())
            {
                flows.append(FromFlow(id, flow));
            }
        }
        return flows;
    });
}

} // namespace ns3
