// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_STATISTICS_H
#define LINK_STATISTICS_H

#include "agent-rate-manager.h"
#include "rate-table.h"

#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"
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
class LinkStatistics : public SimpleRefCount<LinkStatistics>
{
  public:
    /// The state of the link.
    struct State
    {
        std::vector<uint64_t> successes; //!< Acknowledged frames by rate
        std::vector<uint64_t> failures;  //!< Unacknowledged frames by rate
        uint64_t acknowledged{0};        //!< Acknowledged frames of all rates
        uint64_t retries{0};             //!< Number of retransmissions
        double snr{0};   //!< Signal-to-noise ratio of the last acknowledgement in dB; 0: none
        uint32_t row{0}; //!< Rate of the last transmission
    };

    /**
     * @param device The device, which has sent nothing yet.
     * @param logs Whether to keep each frame and report until the next query.
     */
    LinkStatistics(Ptr<WifiNetDevice> device, bool logs)
        : m_device(device),
          m_table(device->GetPhy()),
          m_logs(logs)
    {
        m_state.successes.resize(m_table.GetRows().size());
        m_state.failures.resize(m_table.GetRows().size());
        const auto phy = device->GetPhy();
        phy->TraceConnectWithoutContext("PhyTxPsduBegin",
                                        MakeCallback(&LinkStatistics::NotifySent, this));
        phy->TraceConnectWithoutContext("MonitorSnifferRx",
                                        MakeCallback(&LinkStatistics::NotifyReceived, this));
        const auto mac = device->GetMac();
        mac->TraceConnectWithoutContext("AckedMpdu",
                                        Callback<void, Ptr<const WifiMpdu>>([this](auto mpdu) {
                                            m_state.acknowledged += HasData(*mpdu);
                                            Count(mpdu, m_state.successes);
                                        }));
        mac->TraceConnectWithoutContext("NAckedMpdu",
                                        Callback<void, Ptr<const WifiMpdu>>(
                                            [this](auto mpdu) { Count(mpdu, m_state.failures); }));
        mac->TraceConnectWithoutContext(
            "MpduResponseTimeout",
            Callback<void, uint8_t, Ptr<const WifiMpdu>, const WifiTxVector&>(
                [this](auto, auto mpdu, const auto&) { Count(mpdu, m_state.failures); }));
        mac->TraceConnectWithoutContext(
            "PsduResponseTimeout",
            Callback<void, uint8_t, Ptr<const WifiPsdu>, const WifiTxVector&>(
                [this](auto, auto psdu, const auto&) {
                    for (const auto& mpdu : *PeekPointer(psdu))
                    {
                        Count(mpdu, m_state.failures);
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

    /// @return the counts so far, and the last ratio and rate
    const State& Get() const
    {
        return m_state;
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
            m_state.retries += mpdu->GetHeader().IsRetry();
        }
        m_state.row =
            m_table.Find(txVector.GetMode(), txVector.GetChannelWidth(), txVector.GetNss())
                .value_or(m_state.row);
        if (m_logs)
        {
            m_frames.insert(m_frames.end(),
                            {double(Simulator::Now().GetNanoSeconds()), double(m_state.row)});
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
        counts[m_state.row] += HasData(*mpdu);
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
            m_state.snr = power.signal - power.noise;
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

    Ptr<WifiNetDevice> m_device;   //!< Device that sends the frames
    RateTable m_table;             //!< The rates
    bool m_logs;                   //!< Whether frames and reports are logged
    State m_state;                 //!< The counts so far, and the last ratio and rate
    std::vector<double> m_frames;  //!< Frames since the last query
    std::vector<double> m_reports; //!< Reports since the last query
};

} // namespace ns3

#endif // LINK_STATISTICS_H
