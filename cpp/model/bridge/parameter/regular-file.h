// SPDX-License-Identifier: GPL-2.0-only

#ifndef REGULAR_FILE_H
#define REGULAR_FILE_H

#include <cstddef>
#include <string>

namespace ns3
{

/**
 * @brief The content of a file that somebody names, or why it cannot be had.
 */
struct RegularFile
{
    std::string content; //!< all of it
    std::string fault;   //!< why the file cannot be read; empty: it was read
};

/** The most bytes that a file may have, by default. */
constexpr std::size_t MOST_FILE_BYTES = std::size_t{1} << 28;

/**
 * Read a file without waiting for anybody: a named pipe or a device is not read.
 *
 * @param path Path of the file; a symbolic link to a regular file may be named.
 * @param most The most bytes that it may have.
 * @return its content, or why it cannot be read
 */
RegularFile ReadRegularFile(const std::string& path, std::size_t most = MOST_FILE_BYTES);

} // namespace ns3

#endif /* REGULAR_FILE_H */
