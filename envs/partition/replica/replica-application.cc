// SPDX-License-Identifier: GPL-2.0-only

#include "replica-application.h"

#include "client-operation.h"
#include "replica-tag.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <exception>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReplicaApplication);

TypeId
ReplicaApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ReplicaApplication, Application>("ns3::ReplicaApplication")
            .AddAttribute("AutoStart",
                          "Whether the process runs from the start of the application, not "
                          "only after Reset() or Restart().",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReplicaApplication::m_autoStart),
                          MakeBooleanChecker())
            .AddAttribute("AnswersClients",
                          "Whether it reports its answers to clients, by trace source Event.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ReplicaApplication::m_answers),
                          MakeBooleanChecker())
            .AddAttribute("Bug",
                          "Name of a seeded bug of the implementation, for tests to find; empty: "
                          "none. Each protocol has its own bugs.",
                          StringValue(""),
                          MakeStringAccessor(&ReplicaApplication::m_bug),
                          MakeStringChecker())
            .AddAttribute("Port",
                          "UDP port of all replicas.",
                          UintegerValue(7000),
                          MakeUintegerAccessor(&ReplicaApplication::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("Jitter",
                          "Maximum random delay before a message is sent (uniform distribution), "
                          "with which messages overtake each other.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&ReplicaApplication::m_jitter),
                          MakeTimeChecker(Time{}))
            .AddAttribute("Duplication",
                          "Probability that a message is sent twice.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ReplicaApplication::m_duplication),
                          MakeDoubleChecker<double>(0, 1))
            .AddTraceSource("Send",
                            "A message leaves.",
                            MakeTraceSourceAccessor(&ReplicaApplication::m_sendTrace),
                            "ns3::ReplicaApplication::SendTracedCallback")
            .AddTraceSource("Event",
                            "The replica has acted, and its protocol reports the act.",
                            MakeTraceSourceAccessor(&ReplicaApplication::m_eventTrace),
                            "ns3::ReplicaApplication::EventTracedCallback")
            .AddTraceSource("Failure",
                            "The protocol has thrown an exception, and the process has crashed.",
                            MakeTraceSourceAccessor(&ReplicaApplication::m_failureTrace),
                            "ns3::ReplicaApplication::FailureTracedCallback");
    return tid;
}

void
ReplicaApplication::DoDispose()
{
    m_socket = nullptr;
    m_delayed = nullptr;
    m_storage = nullptr;
    m_draw = nullptr;
    m_interceptor->Dispose();
    Application::DoDispose();
}

void
ReplicaApplication::SetGroup(uint32_t id, const std::vector<Ipv4Address>& addresses)
{
    NS_ABORT_MSG_UNLESS(id >= 1 && id <= addresses.size(),
                        "Replicas are numbered from 1 to " << addresses.size() << ", not " << id);
    m_id = id;
    m_addresses = addresses;
    m_senders.clear();
    for (uint32_t i = 0; i < addresses.size(); i++)
    {
        m_senders[addresses[i]] = i + 1;
    }
}

void
ReplicaApplication::StartApplication()
{
    NS_ABORT_MSG_IF(m_id == 0, "A replica must know its group: call SetGroup() before it starts");
    if (!m_storage)
    {
        m_storage = MakeStorage();
        m_storage->SetObserver([this] { BeforeEffect(); });
        m_node->AggregateObject(m_storage);
    }
    if (m_autoStart)
    {
        Restart();
    }
}

void
ReplicaApplication::Crash()
{
    if (IsActive())
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Close();
        m_socket = nullptr;
        m_crashPoint.reset();
        m_isLastCall = false;
        m_interceptor->DiscardAll();
        Forget();
    }
}

void
ReplicaApplication::CrashWithin(uint32_t calls, uint64_t draw)
{
    m_crashPoint = {.calls = static_cast<uint32_t>(draw % calls), .effects = 0};
    for (draw /= calls; draw % 3 != 0; draw /= 3)
    {
        m_crashPoint->effects++; // each effect is the last one with probability 1/3
    }
}

void
ReplicaApplication::LoseDelayed()
{
    if (m_delayed)
    {
        m_delayed->Close();
        m_delayed = nullptr;
    }
}

void
ReplicaApplication::Restart()
{
    if (!IsActive())
    {
        m_socket = Socket::CreateSocket(m_node, UdpSocketFactory::GetTypeId());
        m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
        m_socket->SetRecvCallback(MakeCallback(&ReplicaApplication::HandleRead, this));
        Run([this] { Recover(m_storage); });
    }
}

void
ReplicaApplication::Reset()
{
    Crash();
    m_storage->Erase();
    m_byzantine = false;
    m_clockError = Time();
    Restart();
}

bool
ReplicaApplication::Submit(uint32_t request)
{
    // A process that ends in the call may have taken the request: the client gets no answer.
    const bool runs = IsActive();
    std::optional<bool> taken;
    Run([&] { taken = OnSubmit(request); });
    return runs && taken.value_or(true);
}

void
ReplicaApplication::Run(const std::function<void()>& step)
{
    if (!IsActive())
    {
        return;
    }
    m_isLastCall = m_crashPoint && m_crashPoint->calls-- == 0;
    try
    {
        step();
    }
    catch (const ProcessKilled&)
    {
    }
    catch (const std::exception& error)
    {
        Crash();
        m_failureTrace(error.what());
    }
    if (m_isLastCall)
    {
        Crash();
    }
}

void
ReplicaApplication::BeforeEffect()
{
    if (!m_isLastCall)
    {
        return;
    }
    if (m_crashPoint->effects == 0)
    {
        throw ProcessKilled();
    }
    m_crashPoint->effects--;
}

ReplicaState
ReplicaApplication::Snapshot() const
{
    auto state = DoSnapshot(m_storage);
    state.active = IsActive();
    state.byzantine = m_byzantine;
    return state;
}

void
ReplicaApplication::Note(ReplicaEvent event)
{
    event.replica = m_id;
    m_eventTrace(event);
    BeforeEffect(); // later: what was written before may come to others after a restart
}

void
ReplicaApplication::Answer(uint32_t request, const std::vector<ReplicaEntry>& log, std::size_t done)
{
    BeforeEffect();
    auto registers = ClientOperation::Replay(log, done);
    m_eventTrace({.replica = m_id,
                  .kind = ReplicaEvent::ANSWERS,
                  .height = request,
                  .round = Simulator::Now().GetNanoSeconds(),
                  .value = ClientOperation::Of(request).Apply(registers)});
}

void
ReplicaApplication::Send(uint32_t to, Ptr<Packet> packet)
{
    BeforeEffect();
    packet->AddPacketTag(ReplicaTag(m_id, to, ++m_sent));
    m_sendTrace(to, packet);
    if (!m_disturbed || (m_jitter.IsZero() && m_duplication == 0))
    {
        Transmit(m_socket, to, packet);
        return;
    }
    if (!m_draw)
    {
        m_draw = CreateObject<UniformRandomVariable>();
    }
    if (!m_delayed)
    {
        m_delayed = Socket::CreateSocket(m_node, UdpSocketFactory::GetTypeId());
    }
    const auto copies = m_draw->GetValue() < m_duplication ? 2 : 1;
    for (int i = 0; i < copies; i++)
    {
        const auto delay = NanoSeconds(m_draw->GetInteger(0, m_jitter.GetNanoSeconds()));
        Simulator::Schedule(delay,
                            &ReplicaApplication::Transmit,
                            this,
                            m_delayed,
                            to,
                            packet->Copy());
    }
}

void
ReplicaApplication::HandleRead(Ptr<Socket> socket)
{
    Address sender;
    while (const auto packet = socket->RecvFrom(sender))
    {
        const auto known = m_senders.find(InetSocketAddress::ConvertFrom(sender).GetIpv4());
        if (known != m_senders.end())
        {
            m_interceptor->Hold(known->second, packet);
        }
    }
}

} // namespace ns3
