// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

// The formats of capacity traces. Python reads them by the same code, so it needs nothing of ns-3.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint32_t OPPORTUNITY_BYTES = 1500; //!< Size of a full IP packet

/**
 * Read a trace in one of two formats. In Mahimahi's, each line is a time in whole milliseconds from
 * the start, not less than the line before. In the other, as Pensieve's, each line is a time in s
 * and a capacity in Mb/s, which holds since the time in the line before.
 *
 * @param content Content of the file.
 * @param fault Set to a fault of the content, or to an empty string.
 * @return times in ms at which OPPORTUNITY_BYTES may be delivered; none on a fault
 */
std::vector<uint32_t> ParseTrace(const std::string& content, std::string& fault);

/**
 * @param times Times of a trace in ms.
 * @param lines The numbers of their lines in a file; empty: they count from 1.
 * @return a fault, or an empty string
 */
std::string FindTraceFault(const std::vector<uint32_t>& times,
                           const std::vector<std::size_t>& lines = {});

} // namespace ns3

#endif // TRACE_FORMAT_H
