// SPDX-License-Identifier: GPL-2.0-only

#include "bottleneck-queue.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BottleneckQueue);

TypeId
BottleneckQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::BottleneckQueue")
            .SetParent<Object>()
            .SetGroupName("defiance")
            .AddConstructor<BottleneckQueue>()
            .AddTraceSource("Measured",
                            "The measurements of an interval, before its Sample.",
                            MakeTraceSourceAccessor(&BottleneckQueue::m_measuredTrace),
                            "ns3::BottleneckQueue::SampleTracedCallback")
            .AddTraceSource("Sample",
                            "The measurements of an interval, at its end.",
                            MakeTraceSourceAccessor(&BottleneckQueue::m_sampleTrace),
                            "ns3::BottleneckQueue::SampleTracedCallback");
    return tid;
}

void
BottleneckQueue::DoDispose()
{
    m_discipline = nullptr;
    Object::DoDispose();
}

void
BottleneckQueue::SetDiscipline(Ptr<ProbabilityQueueDisc> discipline)
{
    m_discipline = discipline;
    m_discipline->TraceConnectWithoutContext("SojournTime",
                                             MakeCallback(&BottleneckQueue::NotifySojourn, this));
}

Ptr<ProbabilityQueueDisc>
BottleneckQueue::GetDiscipline() const
{
    return m_discipline;
}

void
BottleneckQueue::Start(Time interval)
{
    m_interval = interval;
    m_before = m_discipline->GetStats();
    Simulator::Schedule(m_interval, &BottleneckQueue::Tick, this);
}

void
BottleneckQueue::NotifySojourn(Time sojourn)
{
    m_sojourn += sojourn;
    m_left++;
}

void
BottleneckQueue::Tick()
{
    Simulator::Schedule(m_interval, &BottleneckQueue::Tick, this);
    const auto& now = m_discipline->GetStats();
    QueueSample sample;
    sample.packets = m_discipline->GetNPackets();
    sample.delay = m_left > 0 ? m_sojourn / static_cast<int64_t>(m_left) : Time();
    sample.arrived = now.nTotalReceivedPackets - m_before.nTotalReceivedPackets;
    sample.dropped = now.nTotalDroppedPackets - m_before.nTotalDroppedPackets;
    sample.marked = now.nTotalMarkedPackets - m_before.nTotalMarkedPackets;
    const auto bytes = now.nTotalDequeuedBytes - m_before.nTotalDequeuedBytes;
    sample.throughput = 8 * bytes / m_interval.GetSeconds();
    sample.duration = m_interval;
    sample.probability = m_discipline->GetProbability();
    m_before = now;
    m_sojourn = Time();
    m_left = 0;
    m_measuredTrace(sample);
    m_sampleTrace(sample);
}

} // namespace ns3
