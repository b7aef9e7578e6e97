// SPDX-License-Identifier: GPL-2.0-only

#include "per-ack-control.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
PerAckControl::DoDispose()
{
    m_decider = nullptr;
    TcpNewReno::DoDispose();
}

void
PerAckControl::SetDecider(Decider decider)
{
    m_decider = std::move(decider);
}

std::string
PerAckControl::GetName() const
{
    return "PerAckControl";
}

std::optional<CongestionAnswer>
PerAckControl::Ask(const CongestionQuestion& question) const
{
    return m_decider ? m_decider(question) : std::nullopt;
}

uint32_t
PerAckControl::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const auto answer = Ask({CongestionQuestion::SS_THRESH, 0, bytesInFlight, tcb});
    return answer ? answer->ssThresh : TcpNewReno::GetSsThresh(tcb, bytesInFlight);
}

void
PerAckControl::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const auto answer = Ask({CongestionQuestion::WINDOW, segmentsAcked, tcb->m_bytesInFlight, tcb});
    if (!answer)
    {
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
        return;
    }
    // Without a segment in the window there would be no acknowledgement, and no next question.
    tcb->m_cWnd = std::max(answer->cWnd, tcb->m_segmentSize);
}

Ptr<TcpCongestionOps>
PerAckControl::Fork()
{
    return CopyObject<PerAckControl>(this);
}

} // namespace ns3
