// SPDX-License-Identifier: GPL-2.0-only

// The workers of an InferenceQueue: service, time and reports.

#include "inference-queue.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InferenceWorkers");

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
