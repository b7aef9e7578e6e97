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
    uint32_t ssThresh{0};      //!< Slow start threshold at its end, in bytes
    uint32_t cWnd{0};          //!< Congestion window at its end, in bytes
    uint32_t segmentSize{0};   //!< In bytes
    uint32_t bytesInFlight{0}; //!< At its end
    double acked{0};           //!< Segments acknowledged, selectively or not
    double sent{0};            //!< Segments sent, retransmissions included
    double retransmitted{0};   //!< Segments sent again
    double throughput{0};      //!< Acknowledged, in bit/s
    double pacingRate{0};      //!< At its end, in bit/s; 0: not paced
    Time rtt{};                //!< Mean over its acknowledgements, or the last one known
    Time minRtt{};             //!< Smallest so far; 0: none known
    Time duration{};           //!< Length of the interval

    /**
     * @return congestion window, or pacing rate x minimum round trip time where it is paced, in
     * bytes
     */
    double GetWindow() const
    {
        return pacingRate > 0 ? pacingRate * minRtt.GetSeconds() / 8 : cWnd;
    }
};

/**
 * @brief A TCP connection as its sender sees it, on the sender's node: measured in monitor
 * intervals, between joining (established) and leaving (closed, and all data delivered).
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
     * The connection is set up.
     *
     * @param state State of the sender's socket.
     */
    void Watch(Ptr<const TcpSocketState> state);

    /// The connection is established.
    void Join();

    /// The connection has ended.
    void Leave();

    /**
     * @return whether it has joined, and has not left
     */
    bool IsActive() const;

    /**
     * @return the sender's socket state; null before the connection is set up
     */
    Ptr<const TcpSocketState> GetState() const;

    /// An acknowledgement has been processed.
    void NotifyAcknowledgement();

    /// A segment has been sent again.
    void NotifyRetransmission();

    /// End the monitor interval, and begin the next one.
    void CloseInterval();

    /**
     * @return what was measured in the last interval that has ended
     */
    const FlowSample& GetSample() const;

    /**
     * Tell what the last interval has earned, and then what was measured in it.
     *
     * @param reward Earned.
     */
    void Report(double reward);

    /**
     * @return segments sent again so far
     */
    uint64_t GetRetransmissions() const;

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
     * @param reward Earned in an interval.
     */
    typedef void (*RewardTracedCallback)(double reward);

    /**
     * @brief Signature of the Joined and Left trace sources.
     */
    typedef void (*TracedCallbackSignature)();

  private:
    void DoDispose() override;

    Ptr<const TcpSocketState> m_state; //!< Of the sender's socket
    bool m_active{false};              //!< Joined, and not left
    bool m_left{false};                //!< Has left
    FlowSample m_sample;               //!< Of the last interval
    Time m_intervalStart;              //!< When the present interval began
    SequenceNumber32 m_firstUnsent;    //!< The data that had not been sent then
    uint64_t m_ackedBytes{0};          //!< In the present interval
    uint64_t m_acks{0};                //!< Acknowledgements in the present interval
    int64_t m_rttSum{0};               //!< Of their round trip times, in ns
    uint64_t m_retransmissions{0};     //!< So far
    uint64_t m_retransmittedBefore{0}; //!< Until the present interval began

    TracedCallback<const FlowSample&, bool> m_sampleTrace; //!< Each interval
    TracedCallback<double> m_rewardTrace;                  //!< Each interval
    TracedCallback<> m_joinedTrace;                        //!< Established
    TracedCallback<> m_leftTrace;                          //!< Ended
};

} // namespace ns3

#endif // TCP_FLOW_H
