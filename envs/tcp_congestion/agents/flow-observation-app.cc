// SPDX-License-Identifier: GPL-2.0-only

#include "flow-observation-app.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowObservationApp);

TypeId
FlowObservationApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowObservationApp")
                            .SetParent<ObservationApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<FlowObservationApp>();
    return tid;
}

void
FlowObservationApp::SetFeatures(const FlowFeatures& features)
{
    m_features = features;
}

void
FlowObservationApp::RegisterCallbacks()
{
    const auto flow = GetNode()->GetObject<TcpFlow>();
    flow->TraceConnectWithoutContext("Sample", MakeCallback(&FlowObservationApp::Observe, this));
    flow->TraceConnectWithoutContext("Left", MakeCallback(&FlowObservationApp::NotifyLeft, this));
}

void
FlowObservationApp::Observe(const FlowSample& sample)
{
    SendSample(sample, false);
}

void
FlowObservationApp::NotifyLeft()
{
    SendSample(GetNode()->GetObject<TcpFlow>()->GetSample(), true);
}

void
FlowObservationApp::SendSample(const FlowSample& sample, bool left)
{
    Send(MakeDictContainer("left",
                           MakeDiscreteContainer(left),
                           "state",
                           MakeBoxContainer(m_features.Make(sample))));
}

} // namespace ns3
