// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_STORAGE_H
#define CANONICAL_STORAGE_H

#include "replica-state.h"
#include "stable-storage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The stored state of canonical/raft: term, vote and log.
 */
class CanonicalStorage : public StableStorage
{
  public:
    /// An entry of the log.
    struct Entry
    {
        uint64_t term;     //!< In which it was proposed
        uint16_t type;     //!< The library's number for commands, barriers or configurations
        std::string bytes; //!< Its fields
    };

    /**
     * @return the log; a command is the request whose number it says, other entries are none
     */
    std::vector<ReplicaEntry> GetLog() const;

    void Erase() override;

    uint64_t term{0};           //!< The latest term that the replica has seen
    uint64_t vote{0};           //!< Number of the replica that it voted for in this term; 0: none
    std::vector<Entry> entries; //!< Its log, from index 1 on
};

} // namespace ns3

#endif // CANONICAL_STORAGE_H
