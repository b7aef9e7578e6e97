// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_MESSAGE_H
#define CANONICAL_MESSAGE_H

#include "canonical-server.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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

#endif // CANONICAL_MESSAGE_H
