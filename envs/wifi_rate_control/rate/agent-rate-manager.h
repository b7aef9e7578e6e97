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
 * @brief The results of the frames that a station sent.
 */
struct RateReport
{
    Time time;          //!< When
    uint32_t row;       //!< Number of the rate that was chosen last
    uint32_t successes; //!< Frames that were acknowledged
    uint32_t failures;  //!< Frames that were not
};

/**
 * @brief A rate control that asks somebody: for each frame exchange, within the call of the MAC, or
 * never, if somebody sets the rate from time to time.
 *
 * A frame exchange begins with the first frame after news of earlier ones: the agent that decides
 * has all known results. It is for a station, which sends to its access point alone.
 */
class AgentRateManager : public WifiRemoteStationManager
{
  public:
    /// Returns the number of a row of the table; nothing: as before.
    using Decider = std::function<std::optional<uint32_t>()>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param decider Is asked from now on.
     */
    void SetDecider(Decider decider);

    /**
     * @param row Number of the rate from now on.
     */
    void SetRow(uint32_t row);

    /**
     * @return what ns-3's IdealWifiManager would choose now: number of a row
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
     * Frames were acknowledged, or not.
     *
     * @param successes How many were.
     * @param failures How many were not.
     */
    void Report(uint32_t successes, uint32_t failures);

    Decider m_decider;    //!< Is asked; empty: nobody is
    RateTable m_table;    //!< The rates
    IdealChoice m_ideal;  //!< Of IdealWifiManager
    uint32_t m_row{0};    //!< Number of the rate
    bool m_isNews{false}; //!< Something was learnt since somebody was asked
    bool m_isFirst{true}; //!< Nobody has been asked yet

    TracedCallback<const RateReport&> m_reportTrace; //!< Something was learnt
};

} // namespace ns3

#endif // AGENT_RATE_MANAGER_H
