// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "script-hook.h"
#include "simple-values.h"

#include "ns3/simulator.h"

#include <memory>

namespace ns3
{

namespace
{

/**
 * @brief Events that call a function; the next one can be cancelled.
 */
class ScriptEvent : public std::enable_shared_from_this<ScriptEvent>
{
  public:
    /**
     * @param hook The function.
     * @param interval Interval between two calls; zero: a single call.
     */
    ScriptEvent(ScriptHook hook, Time interval)
        : m_hook(std::move(hook)),
          m_interval(interval)
    {
    }

    /// @param delay Time until the next call.
    void Schedule(Time delay)
    {
        m_event = Simulator::Schedule(delay, [self = shared_from_this()] { self->Happen(); });
    }

    /// Cancel further calls.
    void Cancel()
    {
        m_interval = Time(0);
        m_event.Cancel();
        m_event = EventId();
    }

    /// @return whether there is a next call
    bool IsPending() const
    {
        return m_event.IsPending();
    }

  private:
    /// Call the function, and schedule the next call.
    void Happen()
    {
        m_event = EventId();
        m_hook();
        if (m_interval.IsStrictlyPositive())
        {
            Schedule(m_interval);
        }
    }

    ScriptHook m_hook; //!< Function to call
    Time m_interval;   //!< Interval between two calls
    EventId m_event;   //!< Next call; none: it would own its owner
};

using EventHandle = std::shared_ptr<ScriptEvent>; //!< The Python object of an event

/**
 * @param delay Time until the first call.
 * @param interval Interval between two calls; zero: a single call.
 * @param function The function.
 * @return the event
 */
EventHandle
ScheduleEvent(Time delay, Time interval, nb::object function)
{
    if (function.is_none())
    {
        Raise(nb::type_error, "None is not a function");
    }
    if (delay.IsStrictlyNegative())
    {
        RaiseValueError("an event cannot be in the past");
    }
    auto event = std::make_shared<ScriptEvent>(ScriptHook(std::move(function)), interval);
    event->Schedule(delay);
    return event;
}

/// An event in Python.
struct EventObject
{
    EventHandle event; //!< The event
};

} // namespace

void
BindEvents(nb::module_& module)
{
    nb::class_<EventObject>(module, "Event", "What was scheduled.")
        .def("cancel", [](const EventObject& self) { self.event->Cancel(); })
        .def_prop_ro("pending", [](const EventObject& self) { return self.event->IsPending(); });
    module.def("now", [] { return Simulator::Now(); });
    module.def("stop", [] { Simulator::Stop(); });
    module.def(
        "schedule",
        [](nb::handle delay, nb::handle interval, nb::object function) {
            return EventObject{ScheduleEvent(ToTime(delay), ToTime(interval), std::move(function))};
        },
        nb::arg("delay").none(), // for our own message
        nb::arg("interval").none(),
        nb::arg("function").none());
}

} // namespace ns3
