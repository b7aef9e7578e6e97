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
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

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

namespace
{

/// Time steps by which a service may end early, so that rounding does not end it a step late.
constexpr long double TOLERANCE{1e-6L};

} // namespace

void
InferenceQueue::SetWorkers(uint32_t workers)
{
    Advance();
    m_workers = workers;
    Settle();
}

void
InferenceQueue::SetSlowdown(double slowdown)
{
    Advance();
    m_slowdown = slowdown;
    Settle();
}

Time
InferenceQueue::DrawServiceTime() const
{
    const auto seconds = m_serviceTime->GetValue();
    NS_ABORT_MSG_UNLESS(seconds >= 0 && seconds < Time::Max().GetSeconds(),
                        "A service cannot take " << seconds << " s, which ServiceTime gave");
    return Seconds(seconds);
}

double
InferenceQueue::GetUtilisation() const
{
    if (!m_updated)
    {
        return 0;
    }
    const auto elapsed = static_cast<double>((Simulator::Now() - *m_updated).GetTimeStep());
    const auto presentTime = m_presentTime + elapsed * GetPresentWorkers();
    return presentTime > 0 ? (m_busyTime + elapsed * GetBusyWorkers()) / presentTime : 0;
}

void
InferenceQueue::Advance()
{
    if (!m_updated)
    {
        return;
    }
    const auto elapsed = (Simulator::Now() - *m_updated).GetTimeStep();
    m_busyTime += static_cast<double>(elapsed) * GetBusyWorkers();
    m_presentTime += static_cast<double>(elapsed) * GetPresentWorkers();
    for (auto& service : m_services)
    {
        // Whole time steps are exact: without slowdown there is no rounding.
        service.left -= elapsed / GetStretch();
    }
    m_updated = Simulator::Now();
}

void
InferenceQueue::Start(const WaitingJob& waiting)
{
    Advance();
    const auto now = Simulator::Now();
    const auto left = static_cast<long double>(DrawServiceTime().GetTimeStep());
    NS_LOG_LOGIC("A worker takes a job of " << waiting.job.source);
    m_services.push_back({waiting.job.finished, waiting.context, now, left});
    Notify(waiting.context, [this, waited = now - waiting.arrival, started = waiting.job.started] {
        m_waitingTrace(waited);
        if (started)
        {
            started(waited);
        }
    });
}

void
InferenceQueue::Settle()
{
    if (!m_updated)
    {
        return;
    }
    Advance();
    while (m_services.size() < m_workers && !(m_buffer.empty() && m_blocked.empty()))
    {
        const auto isBlocked = m_buffer.empty();
        auto& line = isBlocked ? m_blocked : m_buffer;
        const auto next = std::move(line.front());
        line.pop_front();
        Start(next);
        if (isBlocked)
        {
            Notify(next.context, next.job.unblocked);
        }
    }
    Unblock();
    ScheduleCompletion();
    Publish();
}

void
InferenceQueue::ScheduleCompletion()
{
    if (m_services.empty())
    {
        m_completion.Cancel();
        return;
    }
    const auto next =
        std::min_element(m_services.begin(), m_services.end(), [](const auto& a, const auto& b) {
            return a.left < b.left;
        });
    const auto now = Simulator::Now();
    const auto most = (Simulator::GetMaximumSimulationTime() - now).GetTimeStep();
    const auto steps = std::ceil(next->left * GetStretch() - TOLERANCE);
    const auto delay = TimeStep(steps < most ? std::max<int64_t>(std::llround(steps), 0) : most);
    if (m_completion.IsPending() && TimeStep(m_completion.GetTs()) == now + delay)
    {
        return;
    }
    m_completion.Cancel();
    m_completion = Simulator::Schedule(delay, &InferenceQueue::Complete, this);
}

void
InferenceQueue::Complete()
{
    Advance();
    const auto isGoingOn = [stretch = GetStretch()](const auto& service) {
        return service.left * stretch > TOLERANCE;
    };
    const auto done = std::stable_partition(m_services.begin(), m_services.end(), isGoingOn);
    const std::vector<Service> ended(std::make_move_iterator(done),
                                     std::make_move_iterator(m_services.end()));
    m_services.erase(done, m_services.end());
    for (const auto& service : ended)
    {
        Notify(service.context,
               [this, time = Simulator::Now() - service.start, finished = service.finished] {
                   m_serviceTrace(time);
                   if (finished)
                   {
                       finished();
                   }
               });
    }
    Settle();
}

void
InferenceQueue::Notify(uint32_t context, std::function<void()> notice)
{
    const Ptr<InferenceQueue> self(this);
    Simulator::ScheduleWithContext(context, Time{}, [self, notice = std::move(notice)] {
        if (notice && !self->m_isDisposed)
        {
            notice();
        }
    });
}

void
InferenceQueue::Publish()
{
    if (m_isPublishing)
    {
        // A trace sink's changes are reported when the sink returns.
        return;
    }
    m_isPublishing = true;
    while (m_tracedBusyWorkers != GetBusyWorkers() || m_tracedQueueLength != GetQueueLength() ||
           !m_drops.empty())
    {
        m_tracedBusyWorkers = GetBusyWorkers();
        m_tracedQueueLength = GetQueueLength();
        for (const auto& [source, reason] : std::exchange(m_drops, {}))
        {
            m_dropTrace(source, reason);
        }
    }
    m_isPublishing = false;
}

} // namespace ns3
