// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_STATISTICS_H
#define LINK_STATISTICS_H

#include "agent-rate-manager.h"
#include "rate-table.h"

#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-psdu.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param mpdu A frame.
 * @return whether the frame has data
 */
inline bool
HasData(const WifiMpdu& mpdu)
{
    return mpdu.GetHeader().IsQosData() && mpdu.GetHeader().HasData();
}

/**
 * @brief The results of a station's frames, known on its node: the numbers of acknowledged and
 * unacknowledged frames by rate, for all rate controls.
 *
 * A frame is an MPDU with data. Frames of a transmission without an answer have failed; if the
 * receiver reports them later, they also count as acknowledged.
 */
class LinkStatistics : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Count the frames of a device, which has sent nothing yet.
     *
     * @param device The device.
     * @param logs Whether to keep each frame and report until the next query.
     */
    void Watch(Ptr<WifiNetDevice> device, bool logs)
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

    /// @return the rates
    const RateTable& GetTable() const
    {
        return m_table;
    }

    /// @return by rate
    const std::vector<uint64_t>& GetSuccesses() const
    {
        return m_successes;
    }

    /// @return by rate
    const std::vector<uint64_t>& GetFailures() const
    {
        return m_failures;
    }

    /// @return number of retransmissions
    uint64_t GetRetries() const
    {
        return m_retries;
    }

    /// @return acknowledged frames
    uint64_t GetAcknowledged() const
    {
        return m_acknowledged;
    }

    /// @return m_snr
    double GetSnr() const
    {
        return m_snr;
    }

    /// @return rate of the last transmission
    uint32_t GetRow() const
    {
        return m_row;
    }

    /// @return its data rate, in bit/s
    double GetDataRate() const
    {
        return m_table.GetRows()[m_row].dataRate;
    }

    /**
     * @return transmissions since the last call: time in ns and number of the rate of each
     * transmission with data
     */
    std::vector<double> TakeFrames()
    {
        return std::exchange(m_frames, {});
    }

    /**
     * @return reports since the last call: time in ns, number of the rate, acknowledged frames,
     * unacknowledged frames of each report, if agents choose the rates
     */
    std::vector<double> TakeReports()
    {
        return std::exchange(m_reports, {});
    }

  private:
    void DoDispose() override
    {
        m_device = nullptr;
        Object::DoDispose();
    }

    /**
     * Record the begin of a transmission.
     *
     * @param psdus The frames.
     * @param txVector Parameters of the transmission.
     * @param power Power in W.
     */
    void NotifySent(WifiConstPsduMap psdus, WifiTxVector txVector, double power)
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
            m_frames.insert(m_frames.end(),
                            {double(Simulator::Now().GetNanoSeconds()), double(m_row)});
        }
    }

    /**
     * Count an acknowledged or unacknowledged frame.
     *
     * @param mpdu The frame.
     * @param counts Counts by rate.
     */
    void Count(Ptr<const WifiMpdu> mpdu, std::vector<uint64_t>& counts)
    {
        counts[m_row] += HasData(*mpdu);
    }

    /**
     * Record a reception.
     *
     * @param packet The packet with its header.
     * @param frequency Frequency of the channel, in MHz.
     * @param txVector Parameters of the transmission.
     * @param mpdu Position in the transmission.
     * @param power Power of the signal and the noise.
     * @param station Number of the receiver.
     */
    void NotifyReceived(Ptr<const Packet> packet,
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

    /**
     * Store a report.
     *
     * @param report The results.
     */
    void NotifyReport(const RateReport& report)
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

    Ptr<WifiNetDevice> m_device;       //!< Device that sends the frames
    RateTable m_table;                 //!< The rates
    std::vector<uint64_t> m_successes; //!< Acknowledged frames by rate
    std::vector<uint64_t> m_failures;  //!< Unacknowledged frames by rate
    uint64_t m_acknowledged{0};        //!< Acknowledged frames of all rates
    uint64_t m_retries{0};             //!< Number of retransmissions
    double m_snr{0};    //!< Signal-to-noise ratio of the last acknowledgement in dB; 0: none
    uint32_t m_row{0};  //!< Rate of the last transmission
    bool m_logs{false}; //!< Whether frames and reports are logged
    std::vector<double> m_frames;  //!< Frames since the last query
    std::vector<double> m_reports; //!< Reports since the last query
};

inline DEFIANCE_OBJECT(LinkStatistics, Object);

} // namespace ns3

#endif // LINK_STATISTICS_H
