// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_FLOW_H
#define TCP_FLOW_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/sequence-number.h"
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
    static TypeId GetTypeId();

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
    void Join();

    /// Record that the connection has ended.
    void Leave();

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
    void NotifyAcknowledgement();

    /// Record a retransmission.
    void NotifyRetransmission()
    {
        m_retransmissions++;
    }

    /// End the monitor interval, and begin the next one.
    void CloseInterval();

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
    void Report(double reward);

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
    void DoDispose() override;

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

} // namespace ns3

#endif // TCP_FLOW_H
