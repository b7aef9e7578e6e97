// SPDX-License-Identifier: GPL-2.0-only

#include "link-statistics.h"

#include "ns3/simulator.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LinkStatistics);

namespace
{

/**
 * @param mpdu A frame.
 * @return whether the frame has data
 */
bool
HasData(const WifiMpdu& mpdu)
{
    return mpdu.GetHeader().IsQosData() && mpdu.GetHeader().HasData();
}

} // namespace

TypeId
LinkStatistics::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LinkStatistics")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<LinkStatistics>();
    return tid;
}

void
LinkStatistics::Watch(Ptr<WifiNetDevice> device, bool logs)
{
    m_device = device;
    m_logs = logs;
    m_table = RateTable(device->GetPhy());
    m_successes.resize(m_table.GetRows().size());
    m_failures.resize(m_table.GetRows().size());
    const auto phy = device->GetPhy();
    phy->TraceConnectWithoutContext("PhyTxPsduBegin",
                                    MakeCallback(&LinkStatistics::NotifySent, this));
    phy->TraceConnectWithoutContext("MonitorSnifferRx",
                                    MakeCallback(&LinkStatistics::NotifyReceived, this));
    const auto mac = device->GetMac();
    mac->TraceConnectWithoutContext("AckedMpdu",
                                    Callback<void, Ptr<const WifiMpdu>>([this](auto mpdu) {
                                        m_acknowledged += HasData(*mpdu);
                                        Count(mpdu, m_successes);
                                    }));
    mac->TraceConnectWithoutContext(
        "NAckedMpdu",
        Callback<void, Ptr<const WifiMpdu>>([this](auto mpdu) { Count(mpdu, m_failures); }));
    mac->TraceConnectWithoutContext(
        "MpduResponseTimeout",
        Callback<void, uint8_t, Ptr<const WifiMpdu>, const WifiTxVector&>(
            [this](auto, auto mpdu, const auto&) { Count(mpdu, m_failures); }));
    mac->TraceConnectWithoutContext(
        "PsduResponseTimeout",
        Callback<void, uint8_t, Ptr<const WifiPsdu>, const WifiTxVector&>(
            [this](auto, auto psdu, const auto&) {
                for (const auto& mpdu : *PeekPointer(psdu))
                {
                    Count(mpdu, m_failures);
                }
            }));
    if (const auto manager = DynamicCast<AgentRateManager>(device->GetRemoteStationManager()))
    {
        manager->TraceConnectWithoutContext("Report",
                                            MakeCallback(&LinkStatistics::NotifyReport, this));
    }
}

void
LinkStatistics::DoDispose()
{
    m_device = nullptr;
    Object::DoDispose();
}

const RateTable&
LinkStatistics::GetTable() const
{
    return m_table;
}

const std::vector<uint64_t>&
LinkStatistics::GetSuccesses() const
{
    return m_successes;
}

const std::vector<uint64_t>&
LinkStatistics::GetFailures() const
{
    return m_failures;
}

uint64_t
LinkStatistics::GetRetries() const
{
    return m_retries;
}

uint64_t
LinkStatistics::GetAcknowledged() const
{
    return m_acknowledged;
}

double
LinkStatistics::GetSnr() const
{
    return m_snr;
}

uint32_t
LinkStatistics::GetRow() const
{
    return m_row;
}

double
LinkStatistics::GetDataRate() const
{
    return m_table.GetRows()[m_row].dataRate;
}

std::vector<double>
LinkStatistics::TakeFrames()
{
    return std::exchange(m_frames, {});
}

std::vector<double>
LinkStatistics::TakeReports()
{
    return std::exchange(m_reports, {});
}

void
LinkStatistics::NotifySent(WifiConstPsduMap psdus, WifiTxVector txVector, double power)
{
    const auto& psdu = *PeekPointer(psdus.begin()->second);
    if (!HasData(**psdu.begin()))
    {
        return;
    }
    for (const auto& mpdu : psdu)
    {
        m_retries += mpdu->GetHeader().IsRetry();
    }
    m_row = m_table.Find(txVector.GetMode(), txVector.GetChannelWidth(), txVector.GetNss())
                .value_or(m_row);
    if (m_logs)
    {
        m_frames.insert(m_frames.end(), {double(Simulator::Now().GetNanoSeconds()), double(m_row)});
    }
}

void
LinkStatistics::Count(Ptr<const WifiMpdu> mpdu, std::vector<uint64_t>& counts)
{
    counts[m_row] += HasData(*mpdu);
}

void
LinkStatistics::NotifyReceived(Ptr<const Packet> packet,
                               uint16_t frequency,
                               WifiTxVector txVector,
                               MpduInfo mpdu,
                               SignalNoiseDbm power,
                               uint16_t station)
{
    WifiMacHeader header;
    packet->PeekHeader(header);
    if ((header.IsAck() || header.IsBlockAck()) && header.GetAddr1() == m_device->GetAddress())
    {
        m_snr = power.signal - power.noise;
    }
}

void
LinkStatistics::NotifyReport(const RateReport& report)
{
    if (m_logs)
    {
        m_reports.insert(m_reports.end(),
                         {double(report.time.GetNanoSeconds()),
                          double(report.row),
                          double(report.successes),
                          double(report.failures)});
    }
}

} // namespace ns3
