// SPDX-License-Identifier: GPL-2.0-only

#ifndef STABLE_STORAGE_H
#define STABLE_STORAGE_H

#include "ns3/object.h"

#include <functional>

namespace ns3
{

/**
 * @brief Thrown where a process is killed between two effects: writes, messages, events. Protocols
 * must not catch it.
 */
struct ProcessKilled
{
};

/**
 * @brief The state that survives a crash of a replica: the disk of its node, to which the object is
 * aggregated.
 *
 * A protocol derives from this class, and stores exactly the state that the protocol demands to be
 * durable. Written data is durable at once, before any later message is sent.
 */
class StableStorage : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Erase all data: the disk of a new node.
    virtual void Erase() = 0;

    /**
     * @param observer Called before each write that BeforeWrite() announces.
     */
    void SetObserver(std::function<void()> observer)
    {
        m_observer = std::move(observer);
    }

  protected:
    /**
     * Announce a write of the process. Call it before each change, so that a stop of the replica
     * can come between two changes: then it throws ProcessKilled.
     */
    void BeforeWrite();

  private:
    std::function<void()> m_observer; //!< Called before writes
};

} // namespace ns3

#endif // STABLE_STORAGE_H
