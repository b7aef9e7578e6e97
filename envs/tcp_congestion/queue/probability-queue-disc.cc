// SPDX-License-Identifier: GPL-2.0-only

#include "probability-queue-disc.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/object-factory.h"

namespace ns3
{

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

} // namespace ns3
