// SPDX-License-Identifier: GPL-2.0-only

#include "replica-application.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReplicaApplication);

TypeId
ReplicaApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ReplicaApplication")
                            .SetParent<Application>()
                            .SetGroupName("defiance")
                            .AddAttribute("Port",
                                          "UDP port of all replicas.",
                                          UintegerValue(7000),
                                          MakeUintegerAccessor(&ReplicaApplication::m_port),
                                          MakeUintegerChecker<uint16_t>(1));
    return tid;
}

ReplicaApplication::ReplicaApplication()
    : m_interceptor(CreateObject<Interceptor>())
{
    m_interceptor->SetReceiver(MakeCallback(&ReplicaApplication::Deliver, this));
}

ReplicaApplication::~ReplicaApplication() = default;

void
ReplicaApplication::DoDispose()
{
    m_socket = nullptr;
    m_storage = nullptr;
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
    NS_ABORT_MSG_IF(m_id == 0, "A replica has to know its group: call SetGroup() before it starts");
    if (!m_storage)
    {
        m_storage = MakeStorage();
        m_node->AggregateObject(m_storage);
    }
    Restart();
}

void
ReplicaApplication::StopApplication()
{
    Crash();
}

void
ReplicaApplication::Crash()
{
    if (IsActive())
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Close();
        m_socket = nullptr;
        m_interceptor->DiscardAll();
        Forget();
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
        Recover(m_storage);
    }
}

void
ReplicaApplication::Reset()
{
    Crash();
    m_storage->Erase();
    Restart();
}

void
ReplicaApplication::Tick()
{
    if (IsActive())
    {
        OnTick();
    }
}

bool
ReplicaApplication::Submit(uint32_t request)
{
    return IsActive() && OnSubmit(request);
}

ReplicaState
ReplicaApplication::Snapshot() const
{
    auto state = DoSnapshot(m_storage);
    state.active = IsActive();
    return state;
}

bool
ReplicaApplication::IsActive() const
{
    return bool(m_socket);
}

uint32_t
ReplicaApplication::GetId() const
{
    return m_id;
}

uint32_t
ReplicaApplication::GetGroupSize() const
{
    return m_addresses.size();
}

Ptr<Interceptor>
ReplicaApplication::GetInterceptor() const
{
    return m_interceptor;
}

void
ReplicaApplication::Send(uint32_t to, Ptr<Packet> packet)
{
    m_socket->SendTo(packet, 0, InetSocketAddress(m_addresses.at(to - 1), m_port));
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

void
ReplicaApplication::Deliver(uint32_t from, Ptr<const Packet> packet)
{
    if (IsActive())
    {
        OnMessage(from, packet);
    }
}

} // namespace ns3
