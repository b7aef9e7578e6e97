// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_QUEUE_H
#define BOTTLENECK_QUEUE_H

#include "monitor-clock.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-space.h"
#include "ns3/queue-disc.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

constexpr std::array PROBABILITIES{0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
const std::vector<float> HIGH{1e6F, 1e5F, 1e5F, 1e6F, 1e6F, 1.0F}; // upper bounds; lower: 0

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
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<ProbabilityQueueDisc, QueueDisc>("ns3::ProbabilityQueueDisc")
                .AddAttribute("MaxSize",
                              "Maximum number of packets, or bytes, in the queue.",
                              QueueSizeValue(QueueSize("100p")),
                              MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                              MakeQueueSizeChecker())
                .AddAttribute("UseEcn",
                              "Whether packets that support ECN are marked rather than dropped.",
                              BooleanValue(false),
                              MakeBooleanAccessor(&ProbabilityQueueDisc::m_useEcn),
                              MakeBooleanChecker());
        return tid;
    }

    ProbabilityQueueDisc()
        : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE),
          m_uniform(CreateObject<UniformRandomVariable>())
    {
    }

    /**
     * @param probability Probability of a drop or mark, from 0 to 1.
     */
    void SetProbability(double probability)
    {
        m_probability = probability;
    }

    /**
     * @return the probability of a drop or mark
     */
    double GetProbability() const
    {
        return m_probability;
    }

    /**
     * @param stream Stream of the random variable.
     * @return the number of streams used
     */
    int64_t AssignStreams(int64_t stream)
    {
        m_uniform->SetStream(stream);
        return 1;
    }

    static constexpr const char* RANDOM_DROP = "Random drop"; //!< Reason of random drops
    static constexpr const char* RANDOM_MARK = "Random mark"; //!< Reason of random marks
    static constexpr const char* LIMIT_DROP = "Limit drop";   //!< The queue was full

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        if (GetCurrentSize() + item > GetMaxSize())
        {
            DropBeforeEnqueue(item, LIMIT_DROP);
            return false;
        }
        if (m_uniform->GetValue() < m_probability && !(m_useEcn && Mark(item, RANDOM_MARK)))
        {
            DropBeforeEnqueue(item, RANDOM_DROP);
            return false;
        }
        return GetInternalQueue(0)->Enqueue(item);
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        return GetInternalQueue(0)->Dequeue();
    }

    bool CheckConfig() override
    {
        if (GetNInternalQueues() == 0)
        {
            const auto size = GetMaxSize();
            AddInternalQueue(
                CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                         QueueSizeValue(size)));
        }
        return GetNQueueDiscClasses() == 0 && GetNPacketFilters() == 0 && GetNInternalQueues() == 1;
    }

    void InitializeParams() override
    {
    }

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
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<BottleneckQueue, Object>("ns3::BottleneckQueue")
                .AddTraceSource("Measured",
                                "The measurements of an interval, before its Sample.",
                                MakeTraceSourceAccessor(&BottleneckQueue::m_measuredTrace),
                                "ns3::BottleneckQueue::SampleTracedCallback")
                .AddTraceSource("Sample",
                                "The measurements of an interval, at its end.",
                                MakeTraceSourceAccessor(&BottleneckQueue::m_sampleTrace),
                                "ns3::BottleneckQueue::SampleTracedCallback");
        return tid;
    }

    /**
     * @param discipline The queue.
     */
    void SetDiscipline(Ptr<ProbabilityQueueDisc> discipline)
    {
        m_discipline = discipline;
        m_discipline->TraceConnectWithoutContext(
            "SojournTime",
            MakeCallback(&BottleneckQueue::NotifySojourn, this));
    }

    /**
     * @return the queue
     */
    Ptr<ProbabilityQueueDisc> GetDiscipline() const
    {
        return m_discipline;
    }

    /**
     * Measure and report in intervals from now on.
     *
     * @param interval Length of an interval.
     */
    void Start(Time interval)
    {
        m_interval = interval;
        m_before = m_discipline->GetStats();
        Simulator::Schedule(m_interval, &BottleneckQueue::Tick, this);
    }

    /**
     * @brief Signature of the Measured and Sample trace sources.
     *
     * @param sample The measurements of an interval.
     */
    typedef void (*SampleTracedCallback)(const QueueSample& sample);

  private:
    void DoDispose() override
    {
        m_discipline = nullptr;
        Object::DoDispose();
    }

    /// End an interval.
    void Tick()
    {
        Simulator::Schedule(m_interval, &BottleneckQueue::Tick, this);
        const auto& now = m_discipline->GetStats();
        QueueSample sample;
        sample.packets = m_discipline->GetNPackets();
        sample.delay = m_left > 0 ? m_sojourn / static_cast<int64_t>(m_left) : Time();
        sample.arrived = now.nTotalReceivedPackets - m_before.nTotalReceivedPackets;
        sample.dropped = now.nTotalDroppedPackets - m_before.nTotalDroppedPackets;
        sample.marked = now.nTotalMarkedPackets - m_before.nTotalMarkedPackets;
        const auto bytes = now.nTotalDequeuedBytes - m_before.nTotalDequeuedBytes;
        sample.throughput = 8 * bytes / m_interval.GetSeconds();
        sample.duration = m_interval;
        sample.probability = m_discipline->GetProbability();
        m_before = now;
        m_sojourn = Time();
        m_left = 0;
        m_measuredTrace(sample);
        m_sampleTrace(sample);
    }

    /**
     * Record that a packet leaves the queue.
     *
     * @param sojourn Time of the packet in the queue.
     */
    void NotifySojourn(Time sojourn)
    {
        m_sojourn += sojourn;
        m_left++;
    }

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
    static Ptr<OpenGymSpace> MakeObservationSpace()
    {
        const auto space = MakeBoxSpace(std::vector<float>(HIGH.size()), HIGH);
        space->SetElementNames({"queue_packets",
                                "queue_delay_ms",
                                "throughput_mbps",
                                "dropped_packets",
                                "marked_packets",
                                "probability"});
        return space;
    }

    /**
     * @param continuous Whether all probabilities are available.
     * @return the space of actions
     */
    static Ptr<OpenGymSpace> MakeActionSpace(bool continuous)
    {
        if (continuous)
        {
            return MakeBoxSpace<float>(1, 0, 1);
        }
        return MakeDiscreteSpace(PROBABILITIES.size());
    }

    /**
     * @param sample Sample of an interval.
     * @return the message to the agent
     */
    static Ptr<OpenGymDictContainer> MakeObservation(const QueueSample& sample)
    {
        const std::vector<double> values{sample.packets,
                                         1e3 * sample.delay.GetSeconds(),
                                         sample.throughput / 1e6,
                                         sample.dropped,
                                         sample.marked,
                                         sample.probability};
        std::vector<float> numbers;
        for (std::size_t i = 0; i < values.size(); i++)
        {
            numbers.push_back(std::min(static_cast<float>(values[i]), HIGH[i]));
        }
        return MakeDictContainer("state", MakeBoxContainer(numbers));
    }

    /**
     * @param action Action of an agent.
     * @return the chosen probability
     */
    static double GetProbability(Ptr<OpenGymDataContainer> action)
    {
        const auto step = DynamicCast<OpenGymDiscreteContainer>(action);
        return step ? PROBABILITIES[step->GetValue()]
                    : action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
    }

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
                            Time propagation)
    {
        const auto delay = sample.delay.GetSeconds() / std::max(propagation.GetSeconds(), 1e-4);
        const auto loss = sample.arrived > 0 ? std::min(1.0, sample.dropped / sample.arrived) : 0;
        return weights.GetScale(sample.duration) *
               (weights.throughputWeight * sample.throughput / capacity -
                weights.delayWeight * delay - weights.lossWeight * loss);
    }
};

NS_OBJECT_ENSURE_REGISTERED(ProbabilityQueueDisc);

NS_OBJECT_ENSURE_REGISTERED(BottleneckQueue);

} // namespace ns3

#endif // BOTTLENECK_QUEUE_H
