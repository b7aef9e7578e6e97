// SPDX-License-Identifier: GPL-2.0-only

#include "agent-rate-manager.h"

#include "ns3/simulator.h"
#include "ns3/wifi-phy.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AgentRateManager);

TypeId
AgentRateManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AgentRateManager")
            .SetParent<WifiRemoteStationManager>()
            .SetGroupName("defiance")
            .AddConstructor<AgentRateManager>()
            .AddTraceSource("Report",
                            "Reports of acknowledged and unacknowledged frames.",
                            MakeTraceSourceAccessor(&AgentRateManager::m_reportTrace),
                            "ns3::AgentRateManager::ReportTracedCallback");
    return tid;
}

void
AgentRateManager::DoInitialize()
{
    m_table = RateTable(GetPhy());
    m_ideal = IdealChoice(GetPhy(), m_table);
    WifiRemoteStationManager::DoInitialize();
}

void
AgentRateManager::DoDispose()
{
    m_decider = nullptr;
    WifiRemoteStationManager::DoDispose();
}

void
AgentRateManager::SetDecider(Decider decider)
{
    m_decider = std::move(decider);
}

void
AgentRateManager::SetRow(uint32_t row)
{
    m_row = row;
}

uint32_t
AgentRateManager::GetIdealRow()
{
    return m_ideal.Choose(GetPhy()->GetChannelWidth());
}

int64_t
AgentRateManager::AssignStreams(int64_t stream)
{
    return 0;
}

WifiRemoteStation*
AgentRateManager::DoCreateStation() const
{
    return new WifiRemoteStation();
}

void
AgentRateManager::Report(uint32_t successes, uint32_t failures)
{
    m_isNews = true;
    m_reportTrace({Simulator::Now(), m_row, successes, failures});
}

void
AgentRateManager::DoReportRxOk(WifiRemoteStation* station, double rxSnr, WifiMode txMode)
{
}

void
AgentRateManager::DoReportRtsFailed(WifiRemoteStation* station)
{
}

void
AgentRateManager::DoReportRtsOk(WifiRemoteStation* station,
                                double ctsSnr,
                                WifiMode ctsMode,
                                double rtsSnr)
{
    const auto width = std::min(GetPhy()->GetChannelWidth(), MHz_u{20});
    m_ideal.Observe(rtsSnr, width, 1);
}

void
AgentRateManager::DoReportDataFailed(WifiRemoteStation* station)
{
    Report(0, 1);
}

void
AgentRateManager::DoReportDataOk(WifiRemoteStation* station,
                                 double ackSnr,
                                 WifiMode ackMode,
                                 double dataSnr,
                                 MHz_u dataChannelWidth,
                                 uint8_t dataNss)
{
    m_ideal.Observe(dataSnr, dataChannelWidth, dataNss);
    Report(1, 0);
}

void
AgentRateManager::DoReportAmpduTxStatus(WifiRemoteStation* station,
                                        uint16_t nSuccessfulMpdus,
                                        uint16_t nFailedMpdus,
                                        double rxSnr,
                                        double dataSnr,
                                        MHz_u dataChannelWidth,
                                        uint8_t dataNss)
{
    m_ideal.Observe(dataSnr, dataChannelWidth, dataNss);
    Report(nSuccessfulMpdus, nFailedMpdus);
}

void
AgentRateManager::DoReportFinalRtsFailed(WifiRemoteStation* station)
{
    m_ideal.Reset();
}

void
AgentRateManager::DoReportFinalDataFailed(WifiRemoteStation* station)
{
    m_ideal.Reset();
}

WifiTxVector
AgentRateManager::DoGetDataTxVector(WifiRemoteStation* station, MHz_u allowedWidth)
{
    m_ideal.Choose(std::min(GetPhy()->GetChannelWidth(), allowedWidth));
    if (m_decider && (m_isNews || m_isFirst))
    {
        m_isNews = false;
        m_isFirst = false;
        m_row = m_decider().value_or(m_row);
    }
    const auto& row = m_table.GetRows().at(m_row);
    const auto modulation = row.mode.GetModulationClass();
    return WifiTxVector(row.mode,
                        GetDefaultTxPowerLevel(),
                        GetPreambleForTransmission(modulation, GetShortPreambleEnabled()),
                        RateTable::GetGuardInterval(GetPhy(), modulation),
                        GetNumberOfAntennas(),
                        row.streams,
                        0,
                        GetPhy()->GetTxBandwidth(row.mode, std::min(row.width, allowedWidth)),
                        GetAggregation(station));
}

WifiTxVector
AgentRateManager::DoGetRtsTxVector(WifiRemoteStation* station)
{
    const auto mode = GetDefaultMode();
    const auto modulation = mode.GetModulationClass();
    return WifiTxVector(mode,
                        GetDefaultTxPowerLevel(),
                        GetPreambleForTransmission(modulation, GetShortPreambleEnabled()),
                        NanoSeconds(800),
                        GetNumberOfAntennas(),
                        1,
                        0,
                        GetPhy()->GetTxBandwidth(mode),
                        GetAggregation(station));
}

} // namespace ns3
