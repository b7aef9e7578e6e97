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
    void Watch(Ptr<WifiNetDevice> device, bool logs);

    const RateTable& GetTable() const;                 //!< @return the rates
    const std::vector<uint64_t>& GetSuccesses() const; //!< @return by rate
    const std::vector<uint64_t>& GetFailures() const;  //!< @return by rate
    uint64_t GetRetries() const;                       //!< @return number of retransmissions
    uint64_t GetAcknowledged() const;                  //!< @return acknowledged frames
    double GetSnr() const;                             //!< @return m_snr
    uint32_t GetRow() const;                           //!< @return rate of the last transmission
    double GetDataRate() const;                        //!< @return its data rate, in bit/s

    /**
     * @return transmissions since the last call: time in ns and number of the rate of each
     * transmission with data
     */
    std::vector<double> TakeFrames();

    /**
     * @return reports since the last call: time in ns, number of the rate, acknowledged frames,
     * unacknowledged frames of each report, if agents choose the rates
     */
    std::vector<double> TakeReports();

  private:
    void DoDispose() override;

    /**
     * Record the begin of a transmission.
     *
     * @param psdus The frames.
     * @param txVector Parameters of the transmission.
     * @param power Power in W.
     */
    void NotifySent(WifiConstPsduMap psdus, WifiTxVector txVector, double power);

    /**
     * Count an acknowledged or unacknowledged frame.
     *
     * @param mpdu The frame.
     * @param counts Counts by rate.
     */
    void Count(Ptr<const WifiMpdu> mpdu, std::vector<uint64_t>& counts);

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
                        uint16_t station);

    /**
     * Store a report.
     *
     * @param report The results.
     */
    void NotifyReport(const RateReport& report);

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

} // namespace ns3

#endif // LINK_STATISTICS_H
