// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_COLLECTOR_H
#define SCRIPT_COLLECTOR_H

#include "gym-values.h"
#include "message-content.h"
#include "object-handle.h"
#include "script-hook.h"
#include "script-place.h"
#include "trace-signatures.h"

#include "ns3/event-id.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/observation-application.h"
#include "ns3/reward-application.h"
#include "ns3/simulator.h"

#include <cmath>
#include <sstream>

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
    static TypeId GetTypeId()
    {
        constexpr bool observes = std::is_same_v<Base, ObservationApplication>;
        static TypeId tid =
            TypeId(observes ? "ns3::ScriptObservationApplication" : "ns3::ScriptRewardApplication")
                .template SetParent<Base>()
                .SetGroupName("defiance")
                .template AddConstructor<ScriptCollector<Base>>();
        return tid;
    }

    /// Python connects trace sources itself
    void RegisterCallbacks() override
    {
    }

    void UnregisterCallbacks() override
    {
    }

    /**
     * Send a message to all connected agents, if the application runs; from a trace source, after
     * the event that fired it.
     *
     * @param message A dict.
     */
    void SendMessage(nb::handle message)
    {
        if (!this->IsRunning())
        {
            return;
        }
        const auto key = ApplicationTypeToString(this->GetId().applicationType);
        const auto content = MakeMessage(ToContainer(message), key);
        if constexpr (std::is_same_v<Base, RewardApplication>)
        {
            const auto reward = content->Get(key) ? ToNumber(content->Get(key)) : std::nullopt;
            if (reward && !std::isfinite(*reward))
            {
                std::ostringstream text;
                text << *reward << " is not a reward";
                for (const auto& [agent, interfaces] : this->GetInterfaces(ApplicationType::AGENT))
                {
                    text << " of " << RlApplicationId{ApplicationType::AGENT, agent};
                }
                text << ": send a finite number";
                RaiseValueError(text.str());
            }
        }
        if (TraceScope::Exists())
        {
            // A device that is about to send a packet cannot accept another one.
            Simulator::ScheduleNow([self = Ptr<ScriptCollector>(this), content] {
                if (self->IsRunning())
                {
                    self->Send(content);
                }
            });
        }
        else
        {
            this->Send(content);
        }
    }

    /**
     * Call a function at an interval, first one interval after the start.
     *
     * @param interval Time between two calls.
     * @param sample Returns the data to send; None: nothing.
     */
    void SetSample(Time interval, ScriptHook sample)
    {
        m_interval = interval;
        m_sample = std::move(sample);
        if (this->m_running)
        {
            m_callEvent.Cancel();
            Schedule();
        }
    }

    /// @return the line of its function, or of its creation
    std::string GetSendingPlace() const
    {
        return m_sample ? m_sample.Locate() : GetPlace(this);
    }

    /// @return the line of its function, if the function has returned None in each call
    std::string FindSilence() const
    {
        return m_wasSilent && !m_hasSampled ? m_sample.Locate() : "";
    }

  protected:
    void DoDispose() override
    {
        m_callEvent.Cancel();
        m_sample.Drop();
        Base::DoDispose();
    }

    void StartApplication() override
    {
        Base::StartApplication();
        Schedule();
    }

    void StopApplication() override
    {
        m_callEvent.Cancel();
        Base::StopApplication();
    }

  private:
    /// Schedule the next call
    void Schedule()
    {
        if (m_sample)
        {
            m_callEvent = Simulator::Schedule(m_interval, &ScriptCollector::Call, this);
        }
    }

    /// Call the function and schedule the next call
    void Call()
    {
        if (this->IsRunning())
        {
            const auto sampled = m_sample();
            (sampled.is_none() ? m_wasSilent : m_hasSampled) = true;
            if (!sampled.is_none())
            {
                GuardedAfter(m_sample, [&] { SendMessage(sampled); });
            }
        }
        if (!m_callEvent.IsPending()) // unless the function has scheduled another call
        {
            Schedule();
        }
    }

    Time m_interval;          //!< Time between two calls
    ScriptHook m_sample;      //!< Function to call at an interval
    EventId m_callEvent;      //!< The next call
    bool m_wasSilent{false};  //!< Whether the function has returned None
    bool m_hasSampled{false}; //!< Whether the function has returned data
};

/// An observation application whose code is Python.
using ScriptObservationApplication = ScriptCollector<ObservationApplication>;

/// A reward application whose code is Python.
using ScriptRewardApplication = ScriptCollector<RewardApplication>;

/**
 * @param sender An application that observes or rewards.
 * @param read Returns a text about the application.
 * @return the text; empty: the application is not written in Python
 */
template <typename F>
std::string
ReadSender(RlApplicationId sender, F&& read)
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            const auto application = DynamicCast<RlApplication>((*node)->GetApplication(i));
            if (!application || application->GetId() != sender)
            {
                continue;
            }
            const auto observer = DynamicCast<ScriptObservationApplication>(application);
            const auto rewarder = DynamicCast<ScriptRewardApplication>(application);
            return observer ? read(*observer) : rewarder ? read(*rewarder) : "";
        }
    }
    return "";
}

/**
 * @param sender An application that observes or rewards.
 * @return the traceback line of the origin of its messages; empty: the application is not written
 * in Python
 */
inline std::string
FindSendingPlace(RlApplicationId sender)
{
    return ReadSender(sender, [](const auto& each) { return each.GetSendingPlace(); });
}

NS_OBJECT_ENSURE_REGISTERED(ScriptObservationApplication);
NS_OBJECT_ENSURE_REGISTERED(ScriptRewardApplication);

} // namespace ns3

#endif // SCRIPT_COLLECTOR_H
