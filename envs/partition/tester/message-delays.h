// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_DELAYS_H
#define MESSAGE_DELAYS_H

#include "replica-messages.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Messages that a tester delays: they wait at their replica until the tester releases them,
 * and newer messages overtake them.
 *
 * A delayed message has crossed the network, so that partitions do not affect it. It is lost if its
 * replica crashes.
 */
class MessageDelays
{
  public:
    void Delay(uint32_t replica);   //!< @param replica number of the delayed replica
    void Release(uint32_t replica); //!< @param replica number of the released replica
    void Clear();                   //!< End all delays

    /**
     * Filter out delayed messages, before a tick.
     *
     * @param pending Held messages, oldest first.
     * @return the other messages, in this order
     */
    std::vector<PendingMessage> TakeOut(const std::vector<PendingMessage>& pending);

    /**
     * @return the messages to release with the next tick, after all others; oldest first
     */
    const std::vector<PendingMessage>& GetReleased() const;

    /**
     * Forget the delayed replicas of this step, and lost messages.
     *
     * @param pending Held messages.
     */
    void EndStep(const std::vector<PendingMessage>& pending);

    /// @param replica number of a replica @return whether its messages are delayed
    bool DelaysFor(uint32_t replica) const;
    /// @param message a held message @return whether it is delayed
    bool Delays(const PendingMessage& message) const;
    uint32_t Count() const; //!< @return number of delayed messages

  private:
    /// Numbers of a replica and of a message held for it
    using Key = std::pair<uint32_t, uint64_t>;

    /**
     * @param message A message.
     * @return the unique key of the message
     */
    static Key GetKey(const PendingMessage& message);

    uint32_t m_replica{0};                  //!< Delayed replica of this step; 0: none
    uint32_t m_releasing{0};                //!< Replica to release next; 0: none
    std::set<Key> m_waiting;                //!< Delayed messages
    std::vector<PendingMessage> m_released; //!< Messages to release at the next tick
};

} // namespace ns3

#endif // MESSAGE_DELAYS_H
