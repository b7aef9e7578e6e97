// SPDX-License-Identifier: GPL-2.0-only

#include "interceptor.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Interceptor);

TypeId
Interceptor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Interceptor")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<Interceptor>()
                            .AddAttribute("Holds",
                                          "Whether messages are held until they are released.",
                                          BooleanValue(true),
                                          MakeBooleanAccessor(&Interceptor::m_holds),
                                          MakeBooleanChecker())
                            .AddTraceSource("Hold",
                                            "A message has arrived, and is held.",
                                            MakeTraceSourceAccessor(&Interceptor::m_holdTrace),
                                            "ns3::Interceptor::MessageTracedCallback")
                            .AddTraceSource("Release",
                                            "A message is delivered to the replica.",
                                            MakeTraceSourceAccessor(&Interceptor::m_releaseTrace),
                                            "ns3::Interceptor::MessageTracedCallback")
                            .AddTraceSource("Discard",
                                            "A message is discarded.",
                                            MakeTraceSourceAccessor(&Interceptor::m_discardTrace),
                                            "ns3::Interceptor::MessageTracedCallback");
    return tid;
}

void
Interceptor::DoDispose()
{
    m_held.clear();
    m_receiver = Receiver();
    Object::DoDispose();
}

void
Interceptor::Hold(uint32_t from, Ptr<const Packet> packet)
{
    m_held.emplace(++m_lastNumber, HeldMessage{from, Simulator::Now(), packet});
    m_holdTrace(from, packet);
    if (!m_holds)
    {
        Release(m_lastNumber);
    }
}

void
Interceptor::Release(uint64_t number)
{
    const auto message = Take(number);
    m_releaseTrace(message.from, message.packet);
    m_receiver(message.from, message.packet);
}

void
Interceptor::Discard(uint64_t number)
{
    const auto message = Take(number);
    m_discardTrace(message.from, message.packet);
}

void
Interceptor::DiscardAll()
{
    while (!m_held.empty())
    {
        Discard(m_held.begin()->first);
    }
}

HeldMessage
Interceptor::Take(uint64_t number)
{
    const auto entry = m_held.extract(number);
    NS_ABORT_MSG_IF(entry.empty(), "No message " << number << " is held");
    return entry.mapped();
}

} // namespace ns3
