// SPDX-License-Identifier: GPL-2.0-only

#include "queue-action-app.h"

#include "bottleneck-queue.h"

#include "ns3/node.h"
#include "ns3/opengym-containers.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QueueActionApp);

TypeId
QueueActionApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QueueActionApp")
                            .SetParent<ActionApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<QueueActionApp>();
    return tid;
}

void
QueueActionApp::ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action)
{
    const auto decided = action->Get("default");
    const auto step = DynamicCast<OpenGymDiscreteContainer>(decided);
    const auto probability = step ? PROBABILITIES[step->GetValue()]
                                  : DynamicCast<OpenGymBoxContainer<float>>(decided)->GetValue(0);
    GetNode()->GetObject<BottleneckQueue>()->GetDiscipline()->SetProbability(probability);
}

} // namespace ns3
