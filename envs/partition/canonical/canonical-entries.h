// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_ENTRIES_H
#define CANONICAL_ENTRIES_H

#include "canonical-server.h"

#include <vector>

namespace ns3
{

/**
 * Copy entries into memory in the form of canonical/raft: one block for the bytes of all, which the
 * library frees with the array.
 *
 * @param entries The entries.
 * @return the array; null if there are none
 */
raft_entry* MakeEntries(const std::vector<CanonicalStorage::Entry>& entries);

/**
 * Free the result of MakeEntries() if the library has not received it.
 *
 * @param entries The array, or null.
 */
void FreeEntries(raft_entry* entries);

/**
 * @param entry An entry of the library.
 * @return a copy
 */
CanonicalStorage::Entry CopyEntry(const raft_entry& entry);

/**
 * @param replicas Number of replicas.
 * @return the entry of the group's configuration: all replicas vote, with their number as address
 */
CanonicalStorage::Entry MakeConfiguration(uint32_t replicas);

} // namespace ns3

#endif // CANONICAL_ENTRIES_H
