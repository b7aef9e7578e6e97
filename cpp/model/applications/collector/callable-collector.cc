// SPDX-License-Identifier: GPL-2.0-only

#include "callable-collector.h"

#include "message-content.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/node.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

template <typename Base>
void
CallableCollector<Base>::DoDispose()
{
    m_callEvent.Cancel();
    UnregisterCallbacks();
    m_call = nullptr;
    m_object = nullptr;
    m_callback = CallbackBase();
    Base::DoDispose();
}

template <typename Base>
void
CallableCollector<Base>::StartApplication()
{
    Base::StartApplication();
    Schedule();
}

template <typename Base>
void
CallableCollector<Base>::StopApplication()
{
    m_callEvent.Cancel();
    Base::StopApplication();
}

template <typename Base>
void
CallableCollector<Base>::Schedule()
{
    if (m_call)
    {
        m_callEvent = Simulator::Schedule(m_interval, &CallableCollector::Call, this);
    }
}

template <typename Base>
void
CallableCollector<Base>::Call()
{
    if (this->IsRunning())
    {
        m_call();
    }
    Schedule();
}

template <typename Base>
std::vector<Ptr<Object>>
CallableCollector<Base>::FindObjects() const
{
    if (m_object)
    {
        return {m_object};
    }
    auto path = m_path;
    if (!path.starts_with('/'))
    {
        NS_ABORT_MSG_UNLESS(this->m_node,
                            this->GetId() << " has nothing to trace: install it on a node first");
        path = "/NodeList/" + std::to_string(this->m_node->GetId()) + "/" + path;
    }
    const auto matches = Config::LookupMatches(path);
    NS_ABORT_MSG_IF(matches.GetN() == 0,
                    this->GetId() << " has nothing to trace: no object is at " << path);
    return {matches.Begin(), matches.End()};
}

template <typename Base>
void
CallableCollector<Base>::RegisterCallbacks()
{
    if (m_call)
    {
        return;
    }
    for (const auto& object : FindObjects())
    {
        NS_ABORT_MSG_UNLESS(object->TraceConnectWithoutContext(m_traceSource, m_callback),
                            this->GetId() << " has nothing to trace: "
                                          << object->GetInstanceTypeId().GetName()
                                          << " has no trace source '" << m_traceSource << "'");
        m_listenedTo.push_back(object);
    }
}

template <typename Base>
void
CallableCollector<Base>::UnregisterCallbacks()
{
    for (const auto& object : std::exchange(m_listenedTo, {}))
    {
        object->TraceDisconnectWithoutContext(m_traceSource, m_callback);
    }
}

template <typename Base>
std::string
CallableCollector<Base>::GetKey() const
{
    return ApplicationTypeToString(this->GetId().applicationType);
}

template <typename Base>
void
CallableCollector<Base>::SendResult(double number)
{
    SendResult(MakeBoxContainer<double>(1, number));
}

template <typename Base>
void
CallableCollector<Base>::SendResult(Ptr<OpenGymDataContainer> content)
{
    if (content)
    {
        this->Send(MakeMessage(content, GetKey()));
    }
}

template class CallableCollector<ObservationApplication>;
template class CallableCollector<RewardApplication>;

} // namespace ns3
