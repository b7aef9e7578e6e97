// SPDX-License-Identifier: GPL-2.0-only

#include "poisson-sender.h"

#include "saturated-station.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PoissonSender);

TypeId
PoissonSender::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PoissonSender")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<PoissonSender>();
    return tid;
}

PoissonSender::PoissonSender()
    : m_wait(CreateObject<ExponentialRandomVariable>())
{
}

void
PoissonSender::DoDispose()
{
    m_device = nullptr;
    Object::DoDispose();
}

void
PoissonSender::Attach(Ptr<NetDevice> device, const Address& receiver, uint32_t size)
{
    m_device = device;
    m_receiver = receiver;
    m_size = size;
}

void
PoissonSender::Start(Time interval, int64_t stream)
{
    m_interval = interval;
    m_wait->SetStream(stream);
    Schedule();
}

void
PoissonSender::Schedule()
{
    Simulator::Schedule(m_interval * m_wait->GetValue(1, 0), &PoissonSender::Send, this);
}

void
PoissonSender::Send()
{
    if (m_device)
    {
        m_device->Send(Create<Packet>(m_size), m_receiver, SaturatedStation::PROTOCOL);
        Schedule();
    }
}

} // namespace ns3
