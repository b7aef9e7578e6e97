// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_FORMAT_H
#define CANONICAL_FORMAT_H

#include "canonical-server.h"

#include <optional>
#include <string>
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

/**
 * @param message A message of canonical/raft; snapshots are not sent.
 * @return the message as numbers
 */
std::vector<uint32_t> EncodeMessage(const raft_message& message);

/**
 * @param numbers The result of EncodeMessage(), or any other bytes.
 * @return the message, whose entries belong to the caller; none, if it is malformed
 */
std::optional<raft_message> DecodeMessage(const std::vector<uint32_t>& numbers);

/**
 * @param numbers The result of EncodeMessage(), or any other bytes.
 * @return the message in a line of text, for charts
 */
std::string DescribeMessage(const std::vector<uint32_t>& numbers);

} // namespace ns3

#endif // CANONICAL_FORMAT_H
