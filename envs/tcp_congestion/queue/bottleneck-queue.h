// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_QUEUE_H
#define BOTTLENECK_QUEUE_H

#include "probability-queue-disc.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The measurements of a queue in an interval.
 */
struct QueueSample
{
    double packets{0};     //!< Packets in the queue at its end
    Time delay{};          //!< Mean queueing delay of packets that left; 0: none left
    double arrived{0};     //!< Packets
    double dropped{0};     //!< Packets
    double marked{0};      //!< Packets
    double throughput{0};  //!< Throughput of the queue, in bit/s
    double probability{0}; //!< Probability of a drop or mark, at its end
    Time duration{};       //!< Length of the interval
};

/**
 * @brief The queue of a bottleneck, on its router, measured in intervals.
 */
class BottleneckQueue : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param discipline The queue.
     */
    void SetDiscipline(Ptr<ProbabilityQueueDisc> discipline);

    /**
     * @return the queue
     */
    Ptr<ProbabilityQueueDisc> GetDiscipline() const;

    /**
     * Measure and report in intervals from now on.
     *
     * @param interval Length of an interval.
     */
    void Start(Time interval);

    /**
     * @brief Signature of the Measured and Sample trace sources.
     *
     * @param sample The measurements of an interval.
     */
    typedef void (*SampleTracedCallback)(const QueueSample& sample);

  private:
    void DoDispose() override;

    /// End an interval.
    void Tick();

    /**
     * Record that a packet leaves the queue.
     *
     * @param sojourn Time of the packet in the queue.
     */
    void NotifySojourn(Time sojourn);

    Ptr<ProbabilityQueueDisc> m_discipline; //!< The queue
    Time m_interval;                        //!< Length of an interval
    QueueDisc::Stats m_before;              //!< Counts at the beginning of the interval
    Time m_sojourn;                         //!< Sum over packets that left in the interval
    uint32_t m_left{0};                     //!< Number of packets that left in the interval

    TracedCallback<const QueueSample&> m_measuredTrace; //!< Each interval, for the reward
    TracedCallback<const QueueSample&> m_sampleTrace;   //!< Each interval, for the agent
};

} // namespace ns3

#endif // BOTTLENECK_QUEUE_H
