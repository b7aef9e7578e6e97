// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGENT_RATE_MANAGER_H
#define AGENT_RATE_MANAGER_H

#include "ideal-choice.h"
#include "rate-table.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"
#include "ns3/wifi-remote-station-manager.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace ns3
{

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
    static TypeId GetTypeId();

    /**
     * @param decider Called from now on.
     */
    void SetDecider(Decider decider);

    /**
     * @param row Number of the new rate.
     */
    void SetRow(uint32_t row);

    /**
     * @return the present choice of ns-3's IdealWifiManager: number of a row
     */
    uint32_t GetIdealRow();

    int64_t AssignStreams(int64_t stream) override;

    /**
     * @brief Signature of the Report trace source.
     *
     * @param report The results.
     */
    typedef void (*ReportTracedCallback)(const RateReport& report);

  private:
    void DoInitialize() override;
    void DoDispose() override;
    WifiRemoteStation* DoCreateStation() const override;
    void DoReportRxOk(WifiRemoteStation* station, double rxSnr, WifiMode txMode) override;
    void DoReportRtsFailed(WifiRemoteStation* station) override;
    void DoReportDataFailed(WifiRemoteStation* station) override;
    void DoReportRtsOk(WifiRemoteStation* station,
                       double ctsSnr,
                       WifiMode ctsMode,
                       double rtsSnr) override;
    void DoReportDataOk(WifiRemoteStation* station,
                        double ackSnr,
                        WifiMode ackMode,
                        double dataSnr,
                        MHz_u dataChannelWidth,
                        uint8_t dataNss) override;
    void DoReportAmpduTxStatus(WifiRemoteStation* station,
                               uint16_t nSuccessfulMpdus,
                               uint16_t nFailedMpdus,
                               double rxSnr,
                               double dataSnr,
                               MHz_u dataChannelWidth,
                               uint8_t dataNss) override;
    void DoReportFinalRtsFailed(WifiRemoteStation* station) override;
    void DoReportFinalDataFailed(WifiRemoteStation* station) override;
    WifiTxVector DoGetDataTxVector(WifiRemoteStation* station, MHz_u allowedWidth) override;
    WifiTxVector DoGetRtsTxVector(WifiRemoteStation* station) override;

    /**
     * Record acknowledged and unacknowledged frames.
     *
     * @param successes Number of acknowledged frames.
     * @param failures Number of unacknowledged frames.
     */
    void Report(uint32_t successes, uint32_t failures);

    Decider m_decider;    //!< Decides; may be empty
    RateTable m_table;    //!< The rates
    IdealChoice m_ideal;  //!< IdealWifiManager's choice
    uint32_t m_row{0};    //!< Number of the rate
    bool m_isNews{false}; //!< Whether there are new reports
    bool m_isFirst{true}; //!< Whether no decision was made

    TracedCallback<const RateReport&> m_reportTrace; //!< New reports
};

} // namespace ns3

#endif // AGENT_RATE_MANAGER_H
