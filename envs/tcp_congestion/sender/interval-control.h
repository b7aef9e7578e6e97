// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERVAL_CONTROL_H
#define INTERVAL_CONTROL_H

#include "ns3/tcp-congestion-ops.h"

#include <algorithm>

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
    IntervalControl(double window, uint32_t maxWindow, double maxRate)
        : m_maxWindow(maxWindow),
          m_maxRate(maxRate),
          m_window(window)
    {
    }

    /**
     * Set the congestion window.
     *
     * @param bytes The window; limited to at least a segment and at most the largest window.
     */
    void SetWindow(double bytes)
    {
        const double least = m_tcb ? m_tcb->m_segmentSize : 1;
        m_window = std::clamp(bytes, least, std::max<double>(least, m_maxWindow));
        Apply();
    }

    /**
     * Set the pacing rate; the window is the largest one from then on.
     *
     * @param rate The rate in bit/s; limited to at least MIN_RATE and at most the largest rate.
     */
    void SetRate(double rate)
    {
        m_rate = std::clamp(rate, MIN_RATE, m_maxRate);
        m_window = m_maxWindow;
        Apply();
    }

    /// @return the congestion window in bytes
    double GetWindow() const
    {
        return m_window;
    }

    /// @return the pacing rate in bit/s; 0: not paced
    double GetRate() const
    {
        return m_rate;
    }

    std::string GetName() const override
    {
        return "IntervalControl";
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_tcb = tcb;
        m_tcb->m_pacing = m_rate > 0;
        m_tcb->m_paceInitialWindow = m_rate > 0;
        Apply();
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState>, uint32_t) override
    {
        return static_cast<uint32_t>(m_window);
    }

    bool HasCongControl() const override
    {
        return true; // TCP's loss recovery then keeps window and pacing rate
    }

    void CongControl(Ptr<TcpSocketState>,
                     const TcpRateOps::TcpRateConnection&,
                     const TcpRateOps::TcpRateSample&) override
    {
        Apply();
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<IntervalControl>(this);
    }

    static constexpr double MIN_RATE = 64e3; //!< Smallest pacing rate in bit/s

  private:
    void DoDispose() override
    {
        m_tcb = nullptr;
        TcpCongestionOps::DoDispose();
    }

    /// Apply the set values.
    void Apply()
    {
        if (!m_tcb)
        {
            return;
        }
        m_tcb->m_cWnd = static_cast<uint32_t>(m_window);
        if (m_rate > 0)
        {
            m_tcb->m_pacingRate = DataRate(static_cast<uint64_t>(m_rate));
        }
    }

    Ptr<TcpSocketState> m_tcb; //!< State of the sender's socket, or null
    uint32_t m_maxWindow;      //!< Largest window in bytes
    double m_maxRate;          //!< Largest pacing rate in bit/s
    double m_window;           //!< Window in bytes
    double m_rate{0};          //!< Rate in bit/s; 0: not paced
};

} // namespace ns3

#endif // INTERVAL_CONTROL_H
