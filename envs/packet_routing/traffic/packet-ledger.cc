// SPDX-License-Identifier: GPL-2.0-only

#include "packet-ledger.h"

#include "ns3/simulator.h"

namespace ns3
{

PacketLedger::PacketLedger(Time warmUp, bool records)
    : m_warmUp(warmUp),
      m_keepsRecords(records)
{
}

bool
PacketLedger::Counts(const RoutedPacket& packet) const
{
    return packet.created >= m_warmUp;
}

void
PacketLedger::NotifyCreated(RoutedPacket& packet)
{
    packet.number = m_next++;
    m_totals.created += Counts(packet) ? 1 : 0;
}

void
PacketLedger::NotifyDelivered(const RoutedPacket& packet)
{
    const auto delay = Simulator::Now() - packet.created;
    if (m_keepsRecords)
    {
        const auto number = static_cast<double>(packet.number);
        const auto created = static_cast<double>(packet.created.GetNanoSeconds());
        const auto taken = static_cast<double>(delay.GetNanoSeconds());
        m_records.insert(m_records.end(),
                         {number,
                          double(packet.source),
                          double(packet.destination),
                          created,
                          taken,
                          double(packet.hops)});
    }
    if (Counts(packet))
    {
        m_totals.delivered++;
        m_totals.delay += delay.GetSeconds();
        m_totals.hops += packet.hops;
    }
}

void
PacketLedger::NotifyLost(const RoutedPacket& packet)
{
    m_totals.lost += Counts(packet) ? 1 : 0;
}

const PacketLedger::Totals&
PacketLedger::GetTotals() const
{
    return m_totals;
}

const std::vector<double>&
PacketLedger::GetRecords() const
{
    return m_records;
}

} // namespace ns3
