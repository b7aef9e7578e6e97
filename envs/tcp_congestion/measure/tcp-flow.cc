// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-flow.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpFlow);

TypeId
TcpFlow::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpFlow")
            .SetParent<Object>()
            .SetGroupName("defiance")
            .AddConstructor<TcpFlow>()
            .AddTraceSource("Reward",
                            "The reward of a monitor interval, before its Sample.",
                            MakeTraceSourceAccessor(&TcpFlow::m_rewardTrace),
                            "ns3::TcpFlow::RewardTracedCallback")
            .AddTraceSource(
                "Sample",
                "The measurements of a monitor interval, at its end; the last one ends with "
                "the connection, after Left.",
                MakeTraceSourceAccessor(&TcpFlow::m_sampleTrace),
                "ns3::TcpFlow::SampleTracedCallback")
            .AddTraceSource("Joined",
                            "The connection is established.",
                            MakeTraceSourceAccessor(&TcpFlow::m_joinedTrace),
                            "ns3::TcpFlow::TracedCallbackSignature")
            .AddTraceSource("Left",
                            "The connection has ended.",
                            MakeTraceSourceAccessor(&TcpFlow::m_leftTrace),
                            "ns3::TcpFlow::TracedCallbackSignature");
    return tid;
}

void
TcpFlow::DoDispose()
{
    m_state = nullptr;
    Object::DoDispose();
}

void
TcpFlow::Join()
{
    if (m_active || m_left)
    {
        return;
    }
    m_active = true;
    m_intervalStart = Simulator::Now();
    m_firstUnsent = m_state->m_highTxMark;
    m_joinedTrace();
}

void
TcpFlow::Leave()
{
    if (m_left)
    {
        return;
    }
    CloseInterval();
    m_left = true;
    m_active = false;
    m_leftTrace();
    m_sampleTrace(m_sample, true);
}

void
TcpFlow::NotifyAcknowledgement()
{
    m_ackedBytes += m_state->m_lastAckedSackedBytes;
    m_acks++;
    m_rttSum += m_state->m_lastRtt.Get().GetNanoSeconds();
}

void
TcpFlow::CloseInterval()
{
    m_sample.duration = Simulator::Now() - m_intervalStart;
    const double seconds = m_sample.duration.GetSeconds();
    const double segment = m_state->m_segmentSize;
    const SequenceNumber32 unsent = m_state->m_highTxMark;
    const auto retransmitted = m_retransmissions - m_retransmittedBefore;
    m_sample.ssThresh = m_state->m_ssThresh;
    m_sample.cWnd = m_state->m_cWnd;
    m_sample.segmentSize = m_state->m_segmentSize;
    m_sample.bytesInFlight = m_state->m_bytesInFlight;
    m_sample.acked = m_ackedBytes / segment;
    m_sample.retransmitted = retransmitted;
    m_sample.sent = (unsent - m_firstUnsent) / segment + retransmitted;
    m_sample.throughput = seconds > 0 ? 8 * m_ackedBytes / seconds : 0;
    m_sample.pacingRate = m_state->m_pacing ? m_state->m_pacingRate.Get().GetBitRate() : 0;
    m_sample.rtt = m_state->m_lastRtt;
    if (m_acks > 0)
    {
        m_sample.rtt = NanoSeconds(m_rttSum / static_cast<int64_t>(m_acks));
    }
    m_sample.minRtt = m_state->m_minRtt == Time::Max() ? Time() : m_state->m_minRtt;
    m_intervalStart = Simulator::Now();
    m_firstUnsent = unsent;
    m_retransmittedBefore = m_retransmissions;
    m_ackedBytes = 0;
    m_acks = 0;
    m_rttSum = 0;
}

void
TcpFlow::Report(double reward)
{
    m_rewardTrace(reward);
    m_sampleTrace(m_sample, false);
}

} // namespace ns3
