// SPDX-License-Identifier: GPL-2.0-only

#include "output-port.h"

#include "ns3/queue.h"
#include "ns3/simulator.h"

namespace ns3
{

OutputPort::OutputPort(const Description& description)
    : m_description(description)
{
    description.device->TraceConnectWithoutContext(
        "PhyTxBegin",
        MakeCallback(&OutputPort::NotifyTransmission, this));
}

const OutputPort::Description&
OutputPort::Get() const
{
    return m_description;
}

void
OutputPort::NotifyTransmission(Ptr<const Packet> packet)
{
    m_idleFrom = Simulator::Now() + GetTransmissionTime(packet->GetSize());
}

bool
OutputPort::IsUp() const
{
    return m_description.ipv4->IsUp(m_description.interface);
}

bool
OutputPort::Accepts() const
{
    return IsUp() && CountWaiting() < m_description.buffer;
}

uint32_t
OutputPort::CountWaiting() const
{
    return m_description.device->GetQueue()->GetNPackets();
}

Time
OutputPort::GetWaitingTime() const
{
    const auto rest = Max(m_idleFrom - Simulator::Now(), Time(0));
    const auto waiting = m_description.device->GetQueue()->GetNBytes();
    return waiting == 0 ? rest : rest + m_description.rate.CalculateBytesTxTime(waiting);
}

Time
OutputPort::GetHopDelay(uint32_t bytes) const
{
    return GetWaitingTime() + GetTransmissionTime(bytes) + m_description.propagation;
}

Time
OutputPort::GetTransmissionTime(uint32_t bytes) const
{
    if (bytes != m_bytes)
    {
        m_bytes = bytes;
        m_transmission = m_description.rate.CalculateBytesTxTime(bytes);
    }
    return m_transmission;
}

} // namespace ns3
