// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERVAL_CONTROL_H
#define INTERVAL_CONTROL_H

#include "ns3/tcp-congestion-ops.h"

namespace ns3
{

/**
 * @brief A congestion control whose window, or pacing rate, is set from outside and holds until the
 * next call: losses change neither.
 *
 * After a retransmission timeout TCP sends one segment; from the next acknowledgement on, the set
 * value holds again.
 */
class IntervalControl : public TcpCongestionOps
{
  public:
    /**
     * @param window Initial congestion window in bytes.
     * @param maxWindow Largest window in bytes.
     * @param maxRate Largest pacing rate in bit/s.
     */
    IntervalControl(double window, uint32_t maxWindow, double maxRate);

    /**
     * Set the congestion window.
     *
     * @param bytes The window; limited to at least a segment and at most the largest window.
     */
    void SetWindow(double bytes);

    /**
     * Set the pacing rate; the window is the largest one from then on.
     *
     * @param rate The rate in bit/s; limited to at least MIN_RATE and at most the largest rate.
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

    /// Apply the set values.
    void Apply();

    Ptr<TcpSocketState> m_tcb; //!< State of the sender's socket, or null
    uint32_t m_maxWindow;      //!< Largest window in bytes
    double m_maxRate;          //!< Largest pacing rate in bit/s
    double m_window;           //!< Window in bytes
    double m_rate{0};          //!< Rate in bit/s; 0: not paced
};

} // namespace ns3

#endif // INTERVAL_CONTROL_H
