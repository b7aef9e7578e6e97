// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_FLOW_H
#define TCP_FLOW_H

#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/sequence-number.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The measurements of a sender in a monitor interval.
 */
struct FlowSample
{
    uint32_t ssThresh{0};      //!< Final slow start threshold, in bytes
    uint32_t cWnd{0};          //!< Final congestion window, in bytes
    uint32_t segmentSize{0};   //!< Segment size in bytes
    uint32_t bytesInFlight{0}; //!< Bytes in flight at the end
    double acked{0};           //!< Acknowledged segments, selectively or not
    double sent{0};            //!< Sent segments with retransmissions
    double retransmitted{0};   //!< Retransmitted segments
    double throughput{0};      //!< Acknowledged bit/s
    double pacingRate{0};      //!< Final pacing rate, in bit/s; 0: not paced
    Time rtt{};                //!< Mean over acknowledgements, or last known
    Time minRtt{};             //!< Smallest known so far; 0: none
    Time duration{};           //!< Length of the interval

    /**
     * @return congestion window, or pacing rate x minimum round trip time of a paced flow, in bytes
     */
    double GetWindow() const
    {
        return pacingRate > 0 ? pacingRate * minRtt.GetSeconds() / 8 : cWnd;
    }
};

/**
 * @brief A TCP connection at its sender: measured in monitor intervals, between joining
 * (established) and leaving (closed, and all data delivered).
 */
class TcpFlow : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<TcpFlow, Object>("ns3::TcpFlow")
                .AddTraceSource("Reward",
                                "The reward of a monitor interval, before its Sample.",
                                MakeTraceSourceAccessor(&TcpFlow::m_rewardTrace),
                                "ns3::TcpFlow::RewardTracedCallback")
                .AddTraceSource("Sample",
                                "The measurements of a monitor interval, at its end; the last one "
                                "ends with the connection, after Left.",
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

    /**
     * Begin to watch the connection.
     *
     * @param state State of the sender's socket.
     */
    void Watch(Ptr<const TcpSocketState> state)
    {
        m_state = state;
    }

    /// Record that the connection is established.
    void Join()
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

    /// Record that the connection has ended.
    void Leave()
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

    /**
     * @return whether it has joined, and has not left
     */
    bool IsActive() const
    {
        return m_active;
    }

    /**
     * @return the sender's socket state; null before the connection is set up
     */
    Ptr<const TcpSocketState> GetState() const
    {
        return m_state;
    }

    /// Record an acknowledgement.
    void NotifyAcknowledgement()
    {
        m_ackedBytes += m_state->m_lastAckedSackedBytes;
        m_acks++;
        m_rttSum += m_state->m_lastRtt.Get().GetNanoSeconds();
    }

    /// Record a retransmission.
    void NotifyRetransmission()
    {
        m_retransmissions++;
    }

    /// End the monitor interval, and begin the next one.
    void CloseInterval()
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

    /**
     * @return the measurements of the last complete interval
     */
    const FlowSample& GetSample() const
    {
        return m_sample;
    }

    /**
     * Report the reward of the last interval, and then its measurements.
     *
     * @param reward The reward.
     */
    void Report(double reward)
    {
        m_rewardTrace(reward);
        m_sampleTrace(m_sample, false);
    }

    /**
     * @return number of retransmitted segments so far
     */
    uint64_t GetRetransmissions() const
    {
        return m_retransmissions;
    }

    /**
     * @brief Signature of the Sample trace source.
     *
     * @param sample The measurements of an interval.
     * @param left Whether the connection has ended.
     */
    typedef void (*SampleTracedCallback)(const FlowSample& sample, bool left);

    /**
     * @brief Signature of the Reward trace source.
     *
     * @param reward Reward of an interval.
     */
    typedef void (*RewardTracedCallback)(double reward);

    /**
     * @brief Signature of the Joined and Left trace sources.
     */
    typedef void (*TracedCallbackSignature)();

  private:
    void DoDispose() override
    {
        m_state = nullptr;
        Object::DoDispose();
    }

    Ptr<const TcpSocketState> m_state; //!< State of the sender's socket
    bool m_active{false};              //!< Whether the flow is under way
    bool m_left{false};                //!< Whether the flow has left
    FlowSample m_sample;               //!< Sample of the last interval
    Time m_intervalStart;              //!< Begin of the present interval
    SequenceNumber32 m_firstUnsent;    //!< First unsent byte at m_intervalStart
    uint64_t m_ackedBytes{0};          //!< Acknowledged bytes in the interval
    uint64_t m_acks{0};                //!< Acknowledgements in the present interval
    int64_t m_rttSum{0};               //!< Sum of round trip times, in ns
    uint64_t m_retransmissions{0};     //!< Retransmissions so far
    uint64_t m_retransmittedBefore{0}; //!< Retransmissions at m_intervalStart

    TracedCallback<const FlowSample&, bool> m_sampleTrace; //!< Each interval
    TracedCallback<double> m_rewardTrace;                  //!< Each interval
    TracedCallback<> m_joinedTrace;                        //!< Established flows
    TracedCallback<> m_leftTrace;                          //!< Ended flows
};

NS_OBJECT_ENSURE_REGISTERED(TcpFlow);

} // namespace ns3

#endif // TCP_FLOW_H
