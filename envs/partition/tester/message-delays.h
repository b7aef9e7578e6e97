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
 * and newer ones overtake them.
 *
 * A message that waits has crossed the network, so that partitions do not concern it. It is lost
 * if its replica crashes.
 */
class MessageDelays
{
  public:
    void Delay(uint32_t replica);   //!< @param replica number of one whose messages wait
    void Release(uint32_t replica); //!< @param replica number of one whose messages wait no longer
    void Clear();                   //!< Let no message wait any longer

    /**
     * Take out the messages that wait, before a tick.
     *
     * @param pending Messages that are held, the oldest first.
     * @return those that do not wait, in this order
     */
    std::vector<PendingMessage> TakeOut(const std::vector<PendingMessage>& pending);

    /**
     * @return the messages that are released with the next tick, after all others; the oldest first
     */
    const std::vector<PendingMessage>& GetReleased() const;

    /**
     * Forget whose messages were delayed in this step, and messages that are lost.
     *
     * @param pending Messages that are held.
     */
    void EndStep(const std::vector<PendingMessage>& pending);

    /// @param replica number of one @return whether messages for it wait
    bool DelaysFor(uint32_t replica) const;
    /// @param message one that is held @return whether it waits
    bool Delays(const PendingMessage& message) const;
    uint32_t Count() const; //!< @return messages that wait

  private:
    /// Number of a replica, and of a message that is held for it
    using Key = std::pair<uint32_t, uint64_t>;

    /**
     * @param message A message.
     * @return what tells it from all others
     */
    static Key GetKey(const PendingMessage& message);

    uint32_t m_replica{0};                  //!< Whose messages are delayed in this step; 0: none
    uint32_t m_releasing{0};                //!< Whose messages are released next; 0: none
    std::set<Key> m_waiting;                //!< Messages that wait
    std::vector<PendingMessage> m_released; //!< With the next tick
};

} // namespace ns3

#endif // MESSAGE_DELAYS_H
