// SPDX-License-Identifier: GPL-2.0-only

#include "flow-probe.h"

#include "ns3/abort.h"

namespace ns3
{

FlowProbe::FlowProbe(Ptr<TcpFlow> flow, Ptr<TcpCongestionOps> control)
    : m_flow(flow),
      m_control(control)
{
}

void
FlowProbe::DoDispose()
{
    m_flow = nullptr;
    m_control = nullptr;
    TcpCongestionOps::DoDispose();
}

std::string
FlowProbe::GetName() const
{
    return m_control->GetName();
}

void
FlowProbe::Init(Ptr<TcpSocketState> tcb)
{
    m_flow->Watch(tcb);
    m_control->Init(tcb);
}

uint32_t
FlowProbe::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return m_control->GetSsThresh(tcb, bytesInFlight);
}

void
FlowProbe::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    m_control->IncreaseWindow(tcb, segmentsAcked);
}

void
FlowProbe::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt)
{
    m_flow->NotifyAcknowledgement(); // TCP calls this at most once for an acknowledgement
    m_control->PktsAcked(tcb, segmentsAcked, rtt);
}

void
FlowProbe::CongestionStateSet(Ptr<TcpSocketState> tcb,
                              const TcpSocketState::TcpCongState_t newState)
{
    m_control->CongestionStateSet(tcb, newState);
}

void
FlowProbe::CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event)
{
    m_control->CwndEvent(tcb, event);
}

bool
FlowProbe::HasCongControl() const
{
    return m_control->HasCongControl();
}

void
FlowProbe::CongControl(Ptr<TcpSocketState> tcb,
                       const TcpRateOps::TcpRateConnection& rc,
                       const TcpRateOps::TcpRateSample& rs)
{
    m_control->CongControl(tcb, rc, rs);
}

Ptr<TcpCongestionOps>
FlowProbe::Fork()
{
    NS_ABORT_MSG("A sender's socket accepts no connections");
}

} // namespace ns3
