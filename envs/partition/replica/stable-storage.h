// SPDX-License-Identifier: GPL-2.0-only

#ifndef STABLE_STORAGE_H
#define STABLE_STORAGE_H

#include "ns3/object.h"

namespace ns3
{

/**
 * @brief The state that survives a crash of a replica: the disk of its node, which it is aggregated
 * to.
 *
 * A protocol derives from it, and has it hold exactly what the protocol demands to be durable.
 * Written data is durable at once, before any message that is sent after it.
 */
class StableStorage : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Forget everything: the disk of a new node.
    virtual void Erase() = 0;
};

} // namespace ns3

#endif // STABLE_STORAGE_H
