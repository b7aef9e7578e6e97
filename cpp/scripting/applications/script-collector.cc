// SPDX-License-Identifier: GPL-2.0-only

#include "script-collector.h"

#include "gym-values.h"
#include "message-content.h"
#include "script-place.h"
#include "trace-signatures.h"

#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <cmath>
#include <sstream>

namespace ns3
{

template <typename Base>
TypeId
ScriptCollector<Base>::GetTypeId()
{
    constexpr bool observes = std::is_same_v<Base, ObservationApplication>;
    static TypeId tid =
        TypeId(observes ? "ns3::ScriptObservationApplication" : "ns3::ScriptRewardApplication")
            .template SetParent<Base>()
            .SetGroupName("defiance")
            .template AddConstructor<ScriptCollector<Base>>();
    return tid;
}

template <typename Base>
void
ScriptCollector<Base>::RegisterCallbacks()
{
}

template <typename Base>
void
ScriptCollector<Base>::UnregisterCallbacks()
{
}

template <typename Base>
void
ScriptCollector<Base>::SendMessage(nb::handle message)
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
            throw nb::value_error(text.str().c_str());
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

template <typename Base>
void
ScriptCollector<Base>::SetSample(Time interval, ScriptHook sample)
{
    m_interval = interval;
    m_sample = std::move(sample);
    if (this->m_running)
    {
        m_callEvent.Cancel();
        Schedule();
    }
}

template <typename Base>
std::string
ScriptCollector<Base>::GetSendingPlace() const
{
    return m_sample ? m_sample.Locate() : GetPlace(this);
}

template <typename Base>
void
ScriptCollector<Base>::DoDispose()
{
    m_callEvent.Cancel();
    m_sample.Drop();
    Base::DoDispose();
}

template <typename Base>
void
ScriptCollector<Base>::StartApplication()
{
    Base::StartApplication();
    Schedule();
}

template <typename Base>
void
ScriptCollector<Base>::StopApplication()
{
    m_callEvent.Cancel();
    Base::StopApplication();
}

template <typename Base>
void
ScriptCollector<Base>::Schedule()
{
    if (m_sample)
    {
        m_callEvent = Simulator::Schedule(m_interval, &ScriptCollector::Call, this);
    }
}

template <typename Base>
void
ScriptCollector<Base>::Call()
{
    if (this->IsRunning())
    {
        const auto sampled = m_sample();
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

std::string
FindSendingPlace(RlApplicationId sender)
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
            return observer   ? observer->GetSendingPlace()
                   : rewarder ? rewarder->GetSendingPlace()
                              : "";
        }
    }
    return "";
}

template class ScriptCollector<ObservationApplication>;
template class ScriptCollector<RewardApplication>;

NS_OBJECT_ENSURE_REGISTERED(ScriptObservationApplication);
NS_OBJECT_ENSURE_REGISTERED(ScriptRewardApplication);

} // namespace ns3
