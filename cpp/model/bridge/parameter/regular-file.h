// SPDX-License-Identifier: GPL-2.0-only

#ifndef REGULAR_FILE_H
#define REGULAR_FILE_H

#include <cstddef>
#include <string>

namespace ns3
{

/**
 * @brief The content of a file, or the reason why it is unavailable.
 */
struct RegularFile
{
    std::string content; //!< content of the file
    std::string fault;   //!< reason why the file cannot be read; empty: it was read
};

/** The default limit of a file's size, in bytes. */
constexpr std::size_t MOST_FILE_BYTES = std::size_t{1} << 28;

/**
 * Read a file without blocking: named pipes and devices are not read.
 *
 * @param path Path of the file; a symbolic link to a regular file may be named.
 * @param most Largest allowed size in bytes.
 * @return the content, or the reason why the file cannot be read
 */
RegularFile ReadRegularFile(const std::string& path, std::size_t most = MOST_FILE_BYTES);

} // namespace ns3

#endif /* REGULAR_FILE_H */
