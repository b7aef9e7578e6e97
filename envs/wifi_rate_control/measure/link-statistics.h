// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_STATISTICS_H
#define LINK_STATISTICS_H

#include "agent-rate-manager.h"
#include "rate-table.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-psdu.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The results of the frames that a station sends, known on its node: by rate, how many were
 * acknowledged and how many not, whoever chooses the rates.
 *
 * A frame is an MPDU with data. Frames of a transmission without any answer have failed; if their
 * receiver reports later that it has them, they are acknowledged besides.
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
     * @param logs Keep each frame and report until they are taken.
     */
    void Watch(Ptr<WifiNetDevice> device, bool logs);

    const RateTable& GetTable() const;                 //!< @return the rates
    const std::vector<uint64_t>& GetSuccesses() const; //!< @return acknowledged, by rate
    const std::vector<uint64_t>& GetFailures() const;  //!< @return not acknowledged, by rate
    uint64_t GetRetries() const;                       //!< @return frames that were sent again
    uint64_t GetAcknowledged() const;                  //!< @return acknowledged, of all rates
    double GetSnr() const;                             //!< @return see m_snr
    uint32_t GetRow() const;                           //!< @return rate of the last transmission
    double GetDataRate() const;                        //!< @return that rate, in bit/s

    /**
     * @return what was sent since the last time: time in ns and number of the rate of each
     * transmission with data
     */
    std::vector<double> TakeFrames();

    /**
     * @return what was learnt since the last time: time in ns, number of the rate, frames
     * acknowledged, frames not acknowledged of each report, if agents choose the rates
     */
    std::vector<double> TakeReports();

  private:
    void DoDispose() override;

    /**
     * A transmission begins.
     *
     * @param psdus The frames.
     * @param txVector How.
     * @param power In W.
     */
    void NotifySent(WifiConstPsduMap psdus, WifiTxVector txVector, double power);

    /**
     * A frame was acknowledged, or was not.
     *
     * @param mpdu The frame.
     * @param counts Where to count it.
     */
    void Count(Ptr<const WifiMpdu> mpdu, std::vector<uint64_t>& counts);

    /**
     * Something was received.
     *
     * @param packet With its header.
     * @param frequency Frequency of the channel, in MHz.
     * @param txVector How it was sent.
     * @param mpdu Where in its transmission it was.
     * @param power Power of the signal and the noise.
     * @param station Number of its receiver.
     */
    void NotifyReceived(Ptr<const Packet> packet,
                        uint16_t frequency,
                        WifiTxVector txVector,
                        MpduInfo mpdu,
                        SignalNoiseDbm power,
                        uint16_t station);

    /**
     * Keep a report.
     *
     * @param report The results.
     */
    void NotifyReport(const RateReport& report);

    Ptr<WifiNetDevice> m_device;       //!< Whose frames
    RateTable m_table;                 //!< The rates
    std::vector<uint64_t> m_successes; //!< Acknowledged, by rate
    std::vector<uint64_t> m_failures;  //!< Not acknowledged, by rate
    uint64_t m_acknowledged{0};        //!< Of all rates
    uint64_t m_retries{0};             //!< Frames that were sent again
    double m_snr{0}; //!< Signal-to-noise ratio of the last acknowledgement in dB; 0: there is none
    uint32_t m_row{0};             //!< Rate of the last transmission
    bool m_logs{false};            //!< Keep frames and reports
    std::vector<double> m_frames;  //!< Not taken yet
    std::vector<double> m_reports; //!< Not taken yet
};

} // namespace ns3

#endif // LINK_STATISTICS_H
