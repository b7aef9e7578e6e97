// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_ENTRIES_H
#define CANONICAL_ENTRIES_H

#include "canonical-server.h"

#include <vector>

namespace ns3
{

/**
 * Copy entries into memory as canonical/raft wants to have it: one block for the bytes of all,
 * which the library frees with the array.
 *
 * @param entries The entries.
 * @return the array; null if there are none
 */
raft_entry* MakeEntries(const std::vector<CanonicalStorage::Entry>& entries);

/**
 * Free what MakeEntries() returned and the library was not given.
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
 * @param replicas How many there are.
 * @return the entry that says who they are: all vote, and their addresses are their numbers
 */
CanonicalStorage::Entry MakeConfiguration(uint32_t replicas);

} // namespace ns3

#endif // CANONICAL_ENTRIES_H
