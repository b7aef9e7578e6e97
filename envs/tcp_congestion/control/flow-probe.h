// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_PROBE_H
#define FLOW_PROBE_H

#include "tcp-flow.h"

#include "ns3/tcp-congestion-ops.h"

namespace ns3
{

/**
 * @brief A congestion control that leaves all decisions to another algorithm, and reports
 * acknowledgements to a TcpFlow.
 */
class FlowProbe : public TcpCongestionOps
{
  public:
    /**
     * @param flow Called with acknowledgements.
     * @param control Algorithm that decides.
     */
    FlowProbe(Ptr<TcpFlow> flow, Ptr<TcpCongestionOps> control);

    std::string GetName() const override;
    void Init(Ptr<TcpSocketState> tcb) override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override;
    bool HasCongControl() const override;
    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    void DoDispose() override;

    Ptr<TcpFlow> m_flow;             //!< Flow of the connection
    Ptr<TcpCongestionOps> m_control; //!< Algorithm that decides
};

} // namespace ns3

#endif // FLOW_PROBE_H
