// SPDX-License-Identifier: GPL-2.0-only

#include "regular-file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ns3
{

namespace
{

/** Size of one read. */
constexpr std::size_t PIECE_BYTES = std::size_t{1} << 16;

/**
 * @param descriptor Descriptor of an open file.
 * @param most Largest allowed size in bytes.
 * @return the content, or the reason why the file cannot be read
 */
RegularFile
ReadOpen(int descriptor, std::size_t most)
{
    struct stat status
    {
    };

    if (fstat(descriptor, &status) != 0)
    {
        return {"", std::strerror(errno)};
    }
    if (S_ISDIR(status.st_mode))
    {
        return {"", std::strerror(EISDIR)};
    }
    if (!S_ISREG(status.st_mode))
    {
        return {"", "it is not a regular file"};
    }
    RegularFile file;
    char piece[PIECE_BYTES];
    while (file.content.size() <= most)
    {
        const auto count = read(descriptor, piece, sizeof(piece));
        if (count == 0)
        {
            return file;
        }
        if (count > 0)
        {
            file.content.append(piece, count);
        }
        else if (errno != EINTR)
        {
            return {"", std::strerror(errno)};
        }
    }
    return {"", "it has more than " + std::to_string(most) + " bytes"};
}

} // namespace

RegularFile
ReadRegularFile(const std::string& path, std::size_t most)
{
    // O_NONBLOCK: opening a named pipe does not wait for a writer.
    const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
    {
        return {"", std::strerror(errno)};
    }
    auto file = ReadOpen(descriptor, most);
    close(descriptor);
    return file;
}

} // namespace ns3
