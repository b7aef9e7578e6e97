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
    double packets{0};     //!< In the queue at its end
    Time delay{};          //!< Mean time in the queue of packets that left it; 0: none did
    double arrived{0};     //!< Packets
    double dropped{0};     //!< Packets
    double marked{0};      //!< Packets
    double throughput{0};  //!< Of what left the queue, in bit/s
    double probability{0}; //!< Of a drop or mark, at its end
    Time duration{};       //!< Length of the interval
};

/**
 * @brief The queue before a bottleneck, on its router: measured in intervals.
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
     * @param interval Their length.
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

    /// An interval ends.
    void Tick();

    /**
     * A packet leaves the queue.
     *
     * @param sojourn How long it was there.
     */
    void NotifySojourn(Time sojourn);

    Ptr<ProbabilityQueueDisc> m_discipline; //!< The queue
    Time m_interval;                        //!< Length of an interval
    QueueDisc::Stats m_before;              //!< Counts at the beginning of the interval
    Time m_sojourn;                         //!< Sum over packets that left in the interval
    uint32_t m_left{0};                     //!< How many packets left in the interval

    TracedCallback<const QueueSample&> m_measuredTrace; //!< Each interval, for what it earns
    TracedCallback<const QueueSample&> m_sampleTrace;   //!< Each interval, for who decides
};

} // namespace ns3

#endif // BOTTLENECK_QUEUE_H
