// SPDX-License-Identifier: GPL-2.0-only

#include "interval-control.h"

#include <algorithm>

namespace ns3
{

IntervalControl::IntervalControl(double window, uint32_t maxWindow, double maxRate)
    : m_maxWindow(maxWindow),
      m_maxRate(maxRate),
      m_window(window)
{
}

void
IntervalControl::DoDispose()
{
    m_tcb = nullptr;
    TcpCongestionOps::DoDispose();
}

void
IntervalControl::SetWindow(double bytes)
{
    const double least = m_tcb ? m_tcb->m_segmentSize : 1;
    m_window = std::clamp(bytes, least, std::max<double>(least, m_maxWindow));
    Apply();
}

void
IntervalControl::SetRate(double rate)
{
    m_rate = std::clamp(rate, MIN_RATE, m_maxRate);
    m_window = m_maxWindow;
    Apply();
}

double
IntervalControl::GetWindow() const
{
    return m_window;
}

double
IntervalControl::GetRate() const
{
    return m_rate;
}

void
IntervalControl::Apply()
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

std::string
IntervalControl::GetName() const
{
    return "IntervalControl";
}

void
IntervalControl::Init(Ptr<TcpSocketState> tcb)
{
    m_tcb = tcb;
    m_tcb->m_pacing = m_rate > 0;
    m_tcb->m_paceInitialWindow = m_rate > 0;
    Apply();
}

uint32_t
IntervalControl::GetSsThresh(Ptr<const TcpSocketState>, uint32_t)
{
    return static_cast<uint32_t>(m_window);
}

bool
IntervalControl::HasCongControl() const
{
    return true; // TCP's loss recovery then keeps window and pacing rate
}

void
IntervalControl::CongControl(Ptr<TcpSocketState>,
                             const TcpRateOps::TcpRateConnection&,
                             const TcpRateOps::TcpRateSample&)
{
    Apply();
}

Ptr<TcpCongestionOps>
IntervalControl::Fork()
{
    return CopyObject<IntervalControl>(this);
}

} // namespace ns3
