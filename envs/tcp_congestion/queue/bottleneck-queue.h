// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_QUEUE_H
#define BOTTLENECK_QUEUE_H

#include "monitor-clock.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-space.h"
#include "ns3/queue-disc.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A FIFO queue that drops or marks each arriving packet with a probability that is set from
 * outside.
 *
 * With UseEcn, packets that support ECN are marked. A packet that finds the queue full is dropped.
 */
class ProbabilityQueueDisc : public QueueDisc
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ProbabilityQueueDisc();

    /**
     * @param probability Probability of a drop or mark, from 0 to 1.
     */
    void SetProbability(double probability);

    /**
     * @return the probability of a drop or mark
     */
    double GetProbability() const;

    /**
     * @param stream Stream of the random variable.
     * @return the number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    static constexpr const char* RANDOM_DROP = "Random drop"; //!< Reason of random drops
    static constexpr const char* RANDOM_MARK = "Random mark"; //!< Reason of random marks
    static constexpr const char* LIMIT_DROP = "Limit drop";   //!< The queue was full

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    bool m_useEcn;                        //!< Whether to mark packets that support ECN
    double m_probability{0};              //!< Probability of a drop or mark
    Ptr<UniformRandomVariable> m_uniform; //!< Draws drops and marks
};

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

/**
 * @brief The observations, actions and rewards of an agent at a BottleneckQueue.
 *
 * Observation: {"state": Box of 6 x float32}: packets in the queue, mean time in the queue (ms),
 * throughput (Mb/s), packets dropped, packets marked, probability of a drop or mark. Action: the
 * probability, as a Box of 1 x float32 from 0 to 1, or as Discrete(7), one of seven values. Reward
 * of an interval: `throughputWeight x - delayWeight d - lossWeight l` with x = throughput /
 * capacity, d = mean time in the queue / propagation time of its shortest flow, and l = packets
 * dropped / packets arrived.
 */
struct QueueControl
{
    /**
     * @return the space of observations
     */
    static Ptr<OpenGymSpace> MakeObservationSpace();

    /**
     * @param continuous Whether all probabilities are available.
     * @return the space of actions
     */
    static Ptr<OpenGymSpace> MakeActionSpace(bool continuous);

    /**
     * @param sample Sample of an interval.
     * @return the message to the agent
     */
    static Ptr<OpenGymDictContainer> MakeObservation(const QueueSample& sample);

    /**
     * @param action Action of an agent.
     * @return the chosen probability
     */
    static double GetProbability(Ptr<OpenGymDataContainer> action);

    /**
     * @param sample Sample of an interval.
     * @param weights The weights of rewards.
     * @param capacity Capacity in bit/s.
     * @param propagation Round trip time without queues.
     * @return the reward
     */
    static double GetReward(const QueueSample& sample,
                            const RewardParameters& weights,
                            double capacity,
                            Time propagation);
};

} // namespace ns3

#endif // BOTTLENECK_QUEUE_H
