// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGENT_RATE_MANAGER_H
#define AGENT_RATE_MANAGER_H

#include "rate-table.h"

#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-remote-station-manager.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

constexpr double BIT_ERROR_RATE = 1e-6; //!< Default of IdealWifiManager

/**
 * @brief The choice of ns-3's IdealWifiManager: the fastest rate whose bit error rate is below a
 * millionth at the signal-to-noise ratio that the receiver had with the last frame.
 *
 * No real station knows that ratio: it comes from the simulated receiver. Before the first frame,
 * and after a frame that was given up, the choice is the first rate.
 */
class IdealChoice
{
  public:
    IdealChoice() = default;

    /**
     * @param phy PHY of the sender, set up.
     * @param table The rates.
     */
    IdealChoice(Ptr<const WifiPhy> phy, const RateTable& table)
    {
        for (const auto& row : table.GetRows())
        {
            WifiTxVector sent;
            sent.SetChannelWidth(row.width);
            sent.SetNss(row.streams);
            sent.SetMode(row.mode);
            sent.SetGuardInterval(RateTable::GetGuardInterval(phy, row.mode.GetModulationClass()));
            m_candidates.push_back({row, phy->CalculateSnr(sent, BIT_ERROR_RATE)});
        }
    }

    /**
     * Record that one or more frames of a transmission have reached the receiver.
     *
     * @param snr Ratio there, not in dB; 0: unknown, so the last ratio holds.
     * @param width Channel width of the transmission.
     * @param streams Spatial streams of the transmission.
     */
    void Observe(double snr, MHz_u width, uint8_t streams)
    {
        if (snr != 0)
        {
            m_snr = snr;
            m_width = width;
            m_streams = streams;
        }
    }

    /// A frame was given up
    void Reset()
    {
        m_snr = 0;
        m_width = MHz_u{0};
        m_streams = 1;
        m_chosenBy.reset();
    }

    /**
     * Choose for a frame. Like IdealWifiManager, it keeps its choice until the ratio changes.
     *
     * @param width Largest allowed channel width.
     * @return number of the row of the table
     */
    uint32_t Choose(MHz_u width)
    {
        if (m_chosenBy != m_snr || m_chosenWidth != width)
        {
            m_choice = Search(width);
            m_chosenBy = m_snr;
            m_chosenWidth = width;
        }
        return m_choice;
    }

  private:
    /// The requirements of a row of the table.
    struct Candidate
    {
        RateTable::Row row; //!< The row
        double threshold;   //!< Least ratio of the rate
    };

    /**
     * @param width Largest allowed channel width.
     * @return number of the row of the table
     */
    uint32_t Search(MHz_u width) const
    {
        uint32_t best = 0;
        uint64_t bestRate = 0;
        for (uint32_t i = 0; i < m_candidates.size(); i++)
        {
            const auto& [row, threshold] = m_candidates[i];
            if (row.width != width)
            {
                continue;
            }
            double snr = m_snr; // divided by wider channels and more streams
            if (width != m_width)
            {
                snr /= width / m_width;
            }
            if (row.streams != m_streams)
            {
                snr /= double(row.streams) / m_streams;
            }
            // The first rate of this width, until the ratio allows a better one.
            if (bestRate == 0 && m_candidates[best].row.width != width)
            {
                best = i;
            }
            if (row.dataRate > bestRate && threshold < snr)
            {
                bestRate = row.dataRate;
                best = i;
            }
        }
        return best;
    }

    std::vector<Candidate> m_candidates; //!< Candidates in the table's order
    double m_snr{0};                     //!< Ratio of the last frame
    MHz_u m_width{0};                    //!< Width of the last frame; 0: none
    uint8_t m_streams{1};                //!< Streams of the last frame
    std::optional<double> m_chosenBy;    //!< Ratio of the last choice
    MHz_u m_chosenWidth{0};              //!< Width of the last choice
    uint32_t m_choice{0};                //!< The last choice
};

/**
 * @brief The results of a station's frames.
 */
struct RateReport
{
    Time time;          //!< Time of the report
    uint32_t row;       //!< Number of the last rate
    uint32_t successes; //!< Acknowledged frames
    uint32_t failures;  //!< Unacknowledged frames
};

/**
 * @brief A rate control that calls a decider for each frame exchange, within a call of the MAC, or
 * uses a rate that is set from time to time.
 *
 * A frame exchange begins with the first frame after the results of earlier ones: the decider knows
 * all results. The class is for a station, which sends only to its access point.
 */
class AgentRateManager : public WifiRemoteStationManager
{
  public:
    /// Returns the number of a row of the table; nothing: unchanged.
    using Decider = std::function<std::optional<uint32_t>()>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<AgentRateManager, WifiRemoteStationManager>("ns3::AgentRateManager")
                .AddTraceSource("Report",
                                "Reports of acknowledged and unacknowledged frames.",
                                MakeTraceSourceAccessor(&AgentRateManager::m_reportTrace),
                                "ns3::AgentRateManager::ReportTracedCallback");
        return tid;
    }

    /**
     * @param decider Called from now on.
     */
    void SetDecider(Decider decider)
    {
        m_decider = std::move(decider);
    }

    /**
     * @param row Number of the new rate.
     */
    void SetRow(uint32_t row)
    {
        m_row = row;
    }

    /**
     * @return the present choice of ns-3's IdealWifiManager: number of a row
     */
    uint32_t GetIdealRow()
    {
        return m_ideal.Choose(GetPhy()->GetChannelWidth());
    }

    int64_t AssignStreams(int64_t stream) override
    {
        return 0;
    }

    /**
     * @brief Signature of the Report trace source.
     *
     * @param report The results.
     */
    typedef void (*ReportTracedCallback)(const RateReport& report);

  private:
    void DoInitialize() override
    {
        m_table = RateTable(GetPhy());
        m_ideal = IdealChoice(GetPhy(), m_table);
        WifiRemoteStationManager::DoInitialize();
    }

    void DoDispose() override
    {
        m_decider = nullptr;
        WifiRemoteStationManager::DoDispose();
    }

    WifiRemoteStation* DoCreateStation() const override
    {
        return new WifiRemoteStation();
    }

    void DoReportRxOk(WifiRemoteStation* station, double rxSnr, WifiMode txMode) override
    {
    }

    void DoReportRtsFailed(WifiRemoteStation* station) override
    {
    }

    void DoReportDataFailed(WifiRemoteStation* station) override
    {
        Report(0, 1);
    }

    void DoReportRtsOk(WifiRemoteStation* station,
                       double ctsSnr,
                       WifiMode ctsMode,
                       double rtsSnr) override
    {
        const auto width = std::min(GetPhy()->GetChannelWidth(), MHz_u{20});
        m_ideal.Observe(rtsSnr, width, 1);
    }

    void DoReportDataOk(WifiRemoteStation* station,
                        double ackSnr,
                        WifiMode ackMode,
                        double dataSnr,
                        MHz_u dataChannelWidth,
                        uint8_t dataNss) override
    {
        m_ideal.Observe(dataSnr, dataChannelWidth, dataNss);
        Report(1, 0);
    }

    void DoReportAmpduTxStatus(WifiRemoteStation* station,
                               uint16_t nSuccessfulMpdus,
                               uint16_t nFailedMpdus,
                               double rxSnr,
                               double dataSnr,
                               MHz_u dataChannelWidth,
                               uint8_t dataNss) override
    {
        m_ideal.Observe(dataSnr, dataChannelWidth, dataNss);
        Report(nSuccessfulMpdus, nFailedMpdus);
    }

    void DoReportFinalRtsFailed(WifiRemoteStation* station) override
    {
        m_ideal.Reset();
    }

    void DoReportFinalDataFailed(WifiRemoteStation* station) override
    {
        m_ideal.Reset();
    }

    WifiTxVector DoGetDataTxVector(WifiRemoteStation* station, MHz_u allowedWidth) override
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

    WifiTxVector DoGetRtsTxVector(WifiRemoteStation* station) override
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

    /**
     * Record acknowledged and unacknowledged frames.
     *
     * @param successes Number of acknowledged frames.
     * @param failures Number of unacknowledged frames.
     */
    void Report(uint32_t successes, uint32_t failures)
    {
        m_isNews = true;
        m_reportTrace({Simulator::Now(), m_row, successes, failures});
    }

    Decider m_decider;    //!< Decides; may be empty
    RateTable m_table;    //!< The rates
    IdealChoice m_ideal;  //!< IdealWifiManager's choice
    uint32_t m_row{0};    //!< Number of the rate
    bool m_isNews{false}; //!< Whether there are new reports
    bool m_isFirst{true}; //!< Whether no decision was made

    TracedCallback<const RateReport&> m_reportTrace; //!< New reports
};

NS_OBJECT_ENSURE_REGISTERED(AgentRateManager);

} // namespace ns3

#endif // AGENT_RATE_MANAGER_H
