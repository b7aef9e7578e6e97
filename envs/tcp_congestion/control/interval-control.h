// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERVAL_CONTROL_H
#define INTERVAL_CONTROL_H

#include "ns3/tcp-congestion-ops.h"

namespace ns3
{

/**
 * @brief A congestion control whose window, or pacing rate, is set from outside and holds until it
 * is set again: losses change neither.
 *
 * After a retransmission timeout TCP sends one segment; what was set holds again from the next
 * acknowledgement on.
 */
class IntervalControl : public TcpCongestionOps
{
  public:
    /**
     * @param window Congestion window in bytes, until it is set.
     * @param maxWindow Largest window in bytes.
     * @param maxRate Largest pacing rate in bit/s.
     */
    IntervalControl(double window, uint32_t maxWindow, double maxRate);

    /**
     * Set the congestion window.
     *
     * @param bytes The window; what is less than a segment, or more than the largest one, is set to
     * that.
     */
    void SetWindow(double bytes);

    /**
     * Set the pacing rate; the window is the largest one from then on.
     *
     * @param rate In bit/s; what is less than MIN_RATE, or more than the largest one, is set to
     * that.
     */
    void SetRate(double rate);

    double GetWindow() const; //!< @return the congestion window in bytes
    double GetRate() const;   //!< @return the pacing rate in bit/s; 0: not paced

    std::string GetName() const override;
    void Init(Ptr<TcpSocketState> tcb) override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    bool HasCongControl() const override;
    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override;
    Ptr<TcpCongestionOps> Fork() override;

    static constexpr double MIN_RATE = 64e3; //!< Smallest pacing rate in bit/s

  private:
    void DoDispose() override;

    /// Put into effect what was set.
    void Apply();

    Ptr<TcpSocketState> m_tcb; //!< Of the sender's socket; null: there is none yet
    uint32_t m_maxWindow;      //!< Largest window in bytes
    double m_maxRate;          //!< Largest pacing rate in bit/s
    double m_window;           //!< In bytes
    double m_rate{0};          //!< In bit/s; 0: not paced
};

} // namespace ns3

#endif // INTERVAL_CONTROL_H
