// SPDX-License-Identifier: GPL-2.0-only

#include "private/real-time-clock.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

const Time INTERVAL = MilliSeconds(1); //!< Interval between two measurements

Time g_maxLag = Time::Max(); //!< The largest lag of an episode

/// @return the simulator if it runs in real time, or null
Ptr<RealtimeSimulatorImpl>
FindSimulator()
{
    return DynamicCast<RealtimeSimulatorImpl>(Simulator::GetImplementation());
}

} // namespace

bool
RealTimeClock::IsPresent()
{
    return FindSimulator() != nullptr;
}

std::unique_ptr<RealTimeClock>
RealTimeClock::Start(std::function<void(const std::string&)> fail)
{
    const auto simulator = FindSimulator();
    if (!simulator)
    {
        return nullptr;
    }
    auto clock = std::unique_ptr<RealTimeClock>(new RealTimeClock(simulator, std::move(fail)));
    Simulator::Schedule(INTERVAL, &RealTimeClock::Measure, clock.get());
    return clock;
}

void
RealTimeClock::SetMaxLag(Time lag)
{
    g_maxLag = lag;
}

RealTimeClock::RealTimeClock(Ptr<RealtimeSimulatorImpl> simulator,
                             std::function<void(const std::string&)> fail)
    : m_simulator(simulator),
      m_fail(std::move(fail))
{
}

void
RealTimeClock::Measure()
{
    const auto lag = m_simulator->RealtimeNow() - m_simulator->Now();
    m_lag = std::max(m_lag, lag);
    m_maxLag = std::max(m_maxLag, lag);
    if (lag > g_maxLag)
    {
        std::ostringstream text;
        text << "the simulation is " << lag.As(Time::MS) << " behind real time, which is more than "
             << "max_lag, " << g_maxLag.As(Time::MS)
             << ": decide faster, simulate fewer packets, do not stop Python or the simulation "
                "(Ctrl-Z, "
                "a suspended computer), or allow a larger max_lag";
        m_fail(text.str());
    }
    Simulator::Schedule(INTERVAL, &RealTimeClock::Measure, this);
}

void
RealTimeClock::AddTo(OpenGymInfo& info) const
{
    info.emplace("realtime/lag", m_lag.GetSeconds());
    info.emplace("realtime/max_lag", m_maxLag.GetSeconds());
}

} // namespace ns3
