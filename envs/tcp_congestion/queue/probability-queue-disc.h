// SPDX-License-Identifier: GPL-2.0-only

#ifndef PROBABILITY_QUEUE_DISC_H
#define PROBABILITY_QUEUE_DISC_H

#include "ns3/queue-disc.h"
#include "ns3/random-variable-stream.h"

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

} // namespace ns3

#endif // PROBABILITY_QUEUE_DISC_H
