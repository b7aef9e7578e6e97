// SPDX-License-Identifier: GPL-2.0-only

#include "queue-observation-app.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QueueObservationApp);

TypeId
QueueObservationApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QueueObservationApp")
                            .SetParent<ObservationApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<QueueObservationApp>();
    return tid;
}

const std::vector<float>&
QueueObservationApp::GetHigh()
{
    static const std::vector<float> high{1e6F, 1e5F, 1e5F, 1e6F, 1e6F, 1.0F};
    return high;
}

void
QueueObservationApp::RegisterCallbacks()
{
    GetNode()->GetObject<BottleneckQueue>()->TraceConnectWithoutContext(
        "Sample",
        MakeCallback(&QueueObservationApp::Observe, this));
}

void
QueueObservationApp::Observe(const QueueSample& sample)
{
    const std::vector<double> values{sample.packets,
                                     1e3 * sample.delay.GetSeconds(),
                                     sample.throughput / 1e6,
                                     sample.dropped,
                                     sample.marked,
                                     sample.probability};
    std::vector<float> seen;
    for (std::size_t i = 0; i < values.size(); i++)
    {
        seen.push_back(std::min(static_cast<float>(values[i]), GetHigh()[i]));
    }
    Send(MakeDictContainer("state", MakeBoxContainer(seen)));
}

} // namespace ns3
