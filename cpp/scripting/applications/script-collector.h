// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_COLLECTOR_H
#define SCRIPT_COLLECTOR_H

#include "script-hook.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/observation-application.h"
#include "ns3/reward-application.h"

namespace ns3
{

/**
 * @brief A data collector whose code is Python: it sends messages on request, and the results of a
 * function at an interval.
 *
 * @tparam Base ObservationApplication or RewardApplication.
 */
template <typename Base>
class ScriptCollector : public Base
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void RegisterCallbacks() override; // Python connects trace sources itself
    void UnregisterCallbacks() override;

    /**
     * Send a message to all connected agents, if the application runs; from a trace source, after
     * the event that fired it.
     *
     * @param message A dict.
     */
    void SendMessage(nb::handle message);

    /**
     * Call a function at an interval, first one interval after the start.
     *
     * @param interval Time between two calls.
     * @param sample Returns the data to send; None: nothing.
     */
    void SetSample(Time interval, ScriptHook sample);

    std::string GetSendingPlace() const; //!< @return the line of its function, or of its creation

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

  private:
    void Schedule(); //!< Schedule the next call
    void Call();     //!< Call the function and schedule the next call

    Time m_interval;     //!< Time between two calls
    ScriptHook m_sample; //!< Function to call at an interval
    EventId m_callEvent; //!< The next call
};

/// An observation application whose code is Python.
using ScriptObservationApplication = ScriptCollector<ObservationApplication>;

/// A reward application whose code is Python.
using ScriptRewardApplication = ScriptCollector<RewardApplication>;

/**
 * @param sender An application that observes or rewards.
 * @return the traceback line of the origin of its messages; empty: the application is not written
 * in Python
 */
std::string FindSendingPlace(RlApplicationId sender);

} // namespace ns3

#endif /* SCRIPT_COLLECTOR_H */
