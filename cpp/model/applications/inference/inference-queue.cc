// SPDX-License-Identifier: GPL-2.0-only

#include "inference-queue.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InferenceQueue");
NS_OBJECT_ENSURE_REGISTERED(InferenceQueue);

std::ostream&
operator<<(std::ostream& os, const InferenceSource& source)
{
    return os << source.owner << "/" << source.name;
}

std::ostream&
operator<<(std::ostream& os, InferenceDropReason reason)
{
    static constexpr std::array names{"BUFFER_FULL", "DISPLACED", "REPLACED"};
    return os << names.at(static_cast<std::size_t>(reason));
}

TypeId
InferenceQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InferenceQueue")
            .SetParent<Object>()
            .SetGroupName("defiance")
            .AddConstructor<InferenceQueue>()
            .AddAttribute(
                "Workers",
                "Number of jobs served at the same time.",
                UintegerValue(1),
                MakeUintegerAccessor(&InferenceQueue::SetWorkers, &InferenceQueue::GetWorkers),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ServiceTime",
                          "Seconds that a worker needs for a job while no other worker is busy.",
                          StringValue("ns3::ConstantRandomVariable[Constant=0]"),
                          MakePointerAccessor(&InferenceQueue::m_serviceTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute(
                "Slowdown",
                "With n busy workers, each takes 1 + Slowdown (n - 1) times as long: 0: workers "
                "are independent; 1: they share one processor equally.",
                DoubleValue(0),
                MakeDoubleAccessor(&InferenceQueue::SetSlowdown, &InferenceQueue::GetSlowdown),
                MakeDoubleChecker<double>(0))
            .AddAttribute("BufferSize",
                          "Number of jobs that may wait for a worker; 0: none. By default there is "
                          "no limit.",
                          UintegerValue(std::numeric_limits<uint32_t>::max()),
                          MakeUintegerAccessor(&InferenceQueue::SetBufferSize,
                                               &InferenceQueue::GetBufferSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FullBufferPolicy",
                          "Policy for a job when the buffer is full: DROP_NEWEST, DROP_OLDEST, "
                          "KEEP_LATEST_PER_SOURCE or BLOCK.",
                          EnumValue(FullBufferPolicy::DROP_NEWEST),
                          MakeEnumAccessor<FullBufferPolicy>(&InferenceQueue::SetFullBufferPolicy,
                                                             &InferenceQueue::GetFullBufferPolicy),
                          MakeEnumChecker(FullBufferPolicy::DROP_NEWEST,
                                          "DROP_NEWEST",
                                          FullBufferPolicy::DROP_OLDEST,
                                          "DROP_OLDEST",
                                          FullBufferPolicy::KEEP_LATEST_PER_SOURCE,
                                          "KEEP_LATEST_PER_SOURCE",
                                          FullBufferPolicy::BLOCK,
                                          "BLOCK"))
            .AddTraceSource("Waiting",
                            "A worker takes a job: the time since its submission.",
                            MakeTraceSourceAccessor(&InferenceQueue::m_waitingTrace),
                            "ns3::Time::TracedCallback")
            .AddTraceSource("Service",
                            "A worker is done with a job: the time since it took the job.",
                            MakeTraceSourceAccessor(&InferenceQueue::m_serviceTrace),
                            "ns3::Time::TracedCallback")
            .AddTraceSource("Drop",
                            "A job is dropped.",
                            MakeTraceSourceAccessor(&InferenceQueue::m_dropTrace),
                            "ns3::InferenceQueue::DropTracedCallback")
            .AddTraceSource("BusyWorkers",
                            "Number of jobs that are being served.",
                            MakeTraceSourceAccessor(&InferenceQueue::m_tracedBusyWorkers),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("QueueLength",
                            "Number of jobs in the buffer.",
                            MakeTraceSourceAccessor(&InferenceQueue::m_tracedQueueLength),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

InferenceQueue::InferenceQueue() = default;

InferenceQueue::~InferenceQueue() = default;

void
InferenceQueue::DoDispose()
{
    m_isDisposed = true;
    if (auto* completion = m_completion.PeekEventImpl())
    {
        // The simulator may be destroyed already.
        completion->Cancel();
    }
    m_completion = {};
    m_buffer.clear();
    m_blocked.clear();
    m_services.clear();
    m_serviceTime = nullptr;
    Object::DoDispose();
}

void
InferenceQueue::Submit(const InferenceJob& job)
{
    NS_LOG_FUNCTION(this << job.source);
    NS_ABORT_MSG_IF(m_isDisposed,
                    "An inference queue takes no job of " << job.source << " after its Dispose()");
    const auto now = Simulator::Now();
    m_updated = m_updated.value_or(now);
    const WaitingJob waiting{job, now, Simulator::GetContext()};
    if (m_services.size() < m_workers)
    {
        Start(waiting);
    }
    else
    {
        Admit(waiting);
    }
    Settle();
}

void
InferenceQueue::Admit(const WaitingJob& waiting)
{
    const auto& source = waiting.job.source;
    const auto isFull = m_buffer.size() >= m_bufferSize;
    if (m_policy == FullBufferPolicy::KEEP_LATEST_PER_SOURCE)
    {
        const auto earlier = std::find_if(m_buffer.begin(), m_buffer.end(), [&](const auto& other) {
            return other.job.source == source;
        });
        if (earlier != m_buffer.end())
        {
            *earlier = waiting;
            Drop(source, InferenceDropReason::REPLACED);
            return;
        }
    }
    if (isFull && m_policy == FullBufferPolicy::BLOCK)
    {
        m_blocked.push_back(waiting);
        return;
    }
    if (isFull && (m_policy != FullBufferPolicy::DROP_OLDEST || m_buffer.empty()))
    {
        Drop(source, InferenceDropReason::BUFFER_FULL);
        return;
    }
    if (isFull)
    {
        Drop(m_buffer.front().job.source, InferenceDropReason::DISPLACED);
        m_buffer.pop_front();
    }
    m_buffer.push_back(waiting);
}

void
InferenceQueue::Drop(const InferenceSource& source, InferenceDropReason reason)
{
    NS_LOG_LOGIC("A job of " << source << " is dropped: " << reason);
    ++m_dropCount;
    m_drops.emplace_back(source, reason);
}

void
InferenceQueue::Readmit()
{
    const auto buffered = std::exchange(m_buffer, {});
    const auto blocked = std::exchange(m_blocked, {});
    for (const auto& waiting : buffered)
    {
        Admit(waiting);
    }
    for (const auto& waiting : blocked)
    {
        Admit(waiting);
        if (m_blocked.empty())
        {
            Notify(waiting.context, waiting.job.unblocked);
        }
    }
    Settle();
}

void
InferenceQueue::Unblock()
{
    while (m_buffer.size() < m_bufferSize && !m_blocked.empty())
    {
        Notify(m_blocked.front().context, m_blocked.front().job.unblocked);
        m_buffer.push_back(std::move(m_blocked.front()));
        m_blocked.pop_front();
    }
}

void
InferenceQueue::Cancel(const std::string& owner)
{
    NS_LOG_FUNCTION(this << owner);
    const auto isOwn = [&owner](const auto& waiting) { return waiting.job.source.owner == owner; };
    for (const auto& waiting : m_blocked)
    {
        if (isOwn(waiting))
        {
            Notify(waiting.context, waiting.job.unblocked);
        }
    }
    std::erase_if(m_blocked, isOwn);
    std::erase_if(m_buffer, isOwn);
    Unblock();
    Publish();
}

bool
InferenceQueue::IsBlocked(const std::string& owner) const
{
    return std::any_of(m_blocked.begin(), m_blocked.end(), [&owner](const auto& waiting) {
        return waiting.job.source.owner == owner;
    });
}

} // namespace ns3
