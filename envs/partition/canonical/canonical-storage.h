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
        uint64_t term;     //!< Term of the proposal
        uint16_t type;     //!< The library's number for commands, barriers or configurations
        std::string bytes; //!< Encoded fields
    };

    /**
     * @return the log; a command is the request with its number, other entries have none
     */
    std::vector<ReplicaEntry> GetLog() const;

    void Erase() override;

    using StableStorage::BeforeWrite; // the library's disk calls it

    uint64_t term{0};           //!< Latest known term
    uint64_t vote{0};           //!< Number of the candidate voted for in this term; 0: none
    std::vector<Entry> entries; //!< Log, from index 1 on
};

} // namespace ns3

#endif // CANONICAL_STORAGE_H
