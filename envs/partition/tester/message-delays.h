// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_DELAYS_H
#define MESSAGE_DELAYS_H

#include "partition-controller.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ns3
{

/**
 * @brief Messages that a tester delays: they wait at their replica until the tester releases them,
 * and newer messages overtake them.
 *
 * A delayed message has crossed the network, so that partitions do not affect it. It is lost if its
 * replica crashes.
 *
 * A replica's messages are numbered as they arrive, and all up to one number wait.
 */
class MessageDelays
{
  public:
    /**
     * @param controller Controller of the replicas; it lives as long as this object.
     * @param replicas Number of replicas.
     */
    MessageDelays(const PartitionController& controller, uint32_t replicas)
        : m_controller(controller),
          m_last(replicas),
          m_counts(replicas)
    {
    }

    /// @param replica number of the delayed replica
    void Delay(uint32_t replica)
    {
        m_replica = replica;
    }

    /// @param replica number of the released replica
    void Release(uint32_t replica)
    {
        m_releasing = replica;
    }

    /// End all delays
    void Clear()
    {
        std::fill(m_last.begin(), m_last.end(), 0);
        std::fill(m_counts.begin(), m_counts.end(), 0);
    }

    /**
     * Delay the messages that are held before a tick for the delayed replica of this step.
     */
    void BeginTick()
    {
        if (m_replica > 0)
        {
            m_last[m_replica - 1] = m_controller.GetLastArrival(m_replica);
        }
    }

    /**
     * @return the messages to release with the next tick, after all others; oldest first
     */
    std::vector<PendingMessage> TakeReleased()
    {
        std::vector<PendingMessage> released;
        if (m_releasing == 0)
        {
            return released;
        }
        for (const auto& message : m_controller.GetPendingMessages())
        {
            if (message.to == m_releasing && Delays(message))
            {
                released.push_back(message);
            }
        }
        m_last[m_releasing - 1] = 0;
        m_releasing = 0;
        return released;
    }

    /// Forget the delayed replica of this step, and lost messages
    void EndStep()
    {
        m_replica = 0;
        std::fill(m_counts.begin(), m_counts.end(), 0);
        if (std::any_of(m_last.begin(), m_last.end(), [](auto number) { return number > 0; }))
        {
            for (const auto& message : m_controller.GetPendingMessages())
            {
                m_counts[message.to - 1] += Delays(message);
            }
        }
        for (std::size_t i = 0; i < m_last.size(); i++)
        {
            m_last[i] = m_counts[i] > 0 ? m_last[i] : 0;
        }
    }

    /// @param replica number of a replica @return whether its messages were delayed at the last
    /// EndStep()
    bool DelaysFor(uint32_t replica) const
    {
        return m_counts[replica - 1] > 0;
    }

    /// @param message a held message @return whether it is delayed
    bool Delays(const PendingMessage& message) const
    {
        return message.number <= m_last[message.to - 1];
    }

    /// @return number of delayed messages at the last EndStep()
    uint32_t Count() const
    {
        return std::accumulate(m_counts.begin(), m_counts.end(), 0U);
    }

  private:
    const PartitionController& m_controller; //!< Controller of the replicas
    uint32_t m_replica{0};                   //!< Delayed replica of this step; 0: none
    uint32_t m_releasing{0};                 //!< Replica to release next; 0: none
    std::vector<uint64_t> m_last;            //!< By replica: number of the last delayed message
    std::vector<uint32_t> m_counts;          //!< By replica: number of delayed messages
};

} // namespace ns3

#endif // MESSAGE_DELAYS_H
