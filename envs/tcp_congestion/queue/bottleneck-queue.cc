// SPDX-License-Identifier: GPL-2.0-only

#include "bottleneck-queue.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ns3
{

namespace
{

constexpr std::array PROBABILITIES{0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
const std::vector<float> HIGH{1e6F, 1e5F, 1e5F, 1e6F, 1e6F, 1.0F}; // upper bounds; lower: 0

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ProbabilityQueueDisc);

TypeId
ProbabilityQueueDisc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ProbabilityQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("defiance")
            .AddConstructor<ProbabilityQueueDisc>()
            .AddAttribute("MaxSize",
                          "Maximum number of packets, or bytes, in the queue.",
                          QueueSizeValue(QueueSize("100p")),
                          MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                          MakeQueueSizeChecker())
            .AddAttribute("UseEcn",
                          "Whether packets that support ECN are marked rather than dropped.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ProbabilityQueueDisc::m_useEcn),
                          MakeBooleanChecker());
    return tid;
}

ProbabilityQueueDisc::ProbabilityQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE),
      m_uniform(CreateObject<UniformRandomVariable>())
{
}

void
ProbabilityQueueDisc::SetProbability(double probability)
{
    m_probability = probability;
}

double
ProbabilityQueueDisc::GetProbability() const
{
    return m_probability;
}

int64_t
ProbabilityQueueDisc::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    return 1;
}

bool
ProbabilityQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    if (GetCurrentSize() + item > GetMaxSize())
    {
        DropBeforeEnqueue(item, LIMIT_DROP);
        return false;
    }
    if (m_uniform->GetValue() < m_probability && !(m_useEcn && Mark(item, RANDOM_MARK)))
    {
        DropBeforeEnqueue(item, RANDOM_DROP);
        return false;
    }
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem>
ProbabilityQueueDisc::DoDequeue()
{
    return GetInternalQueue(0)->Dequeue();
}

bool
ProbabilityQueueDisc::CheckConfig()
{
    if (GetNInternalQueues() == 0)
    {
        const auto size = GetMaxSize();
        AddInternalQueue(
            CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                     QueueSizeValue(size)));
    }
    return GetNQueueDiscClasses() == 0 && GetNPacketFilters() == 0 && GetNInternalQueues() == 1;
}

void
ProbabilityQueueDisc::InitializeParams()
{
}

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

Ptr<OpenGymSpace>
QueueControl::MakeObservationSpace()
{
    const auto space = MakeBoxSpace(std::vector<float>(HIGH.size()), HIGH);
    space->SetElementNames({"queue_packets",
                            "queue_delay_ms",
                            "throughput_mbps",
                            "dropped_packets",
                            "marked_packets",
                            "probability"});
    return space;
}

Ptr<OpenGymSpace>
QueueControl::MakeActionSpace(bool continuous)
{
    if (continuous)
    {
        return MakeBoxSpace<float>(1, 0, 1);
    }
    return MakeDiscreteSpace(PROBABILITIES.size());
}

Ptr<OpenGymDictContainer>
QueueControl::MakeObservation(const QueueSample& sample)
{
    const std::vector<double> values{sample.packets,
                                     1e3 * sample.delay.GetSeconds(),
                                     sample.throughput / 1e6,
                                     sample.dropped,
                                     sample.marked,
                                     sample.probability};
    std::vector<float> numbers;
    for (std::size_t i = 0; i < values.size(); i++)
    {
        numbers.push_back(std::min(static_cast<float>(values[i]), HIGH[i]));
    }
    return MakeDictContainer("state", MakeBoxContainer(numbers));
}

double
QueueControl::GetProbability(Ptr<OpenGymDataContainer> action)
{
    const auto step = DynamicCast<OpenGymDiscreteContainer>(action);
    return step ? PROBABILITIES[step->GetValue()]
                : action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
}

double
QueueControl::GetReward(const QueueSample& sample,
                        const RewardParameters& weights,
                        double capacity,
                        Time propagation)
{
    const auto delay = sample.delay.GetSeconds() / std::max(propagation.GetSeconds(), 1e-4);
    const auto loss = sample.arrived > 0 ? std::min(1.0, sample.dropped / sample.arrived) : 0;
    return weights.GetScale(sample.duration) *
           (weights.throughputWeight * sample.throughput / capacity - weights.delayWeight * delay -
            weights.lossWeight * loss);
}

} // namespace ns3
