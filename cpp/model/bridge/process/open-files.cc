// SPDX-License-Identifier: GPL-2.0-only

#include "private/open-files.h"

#include "bridge-options.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param descriptor A descriptor.
 * @return whether it is writable
 */
bool
IsWritable(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags != -1 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/**
 * @param entry Link to an open file.
 * @return whether it is unnamed memory, such as memory shared with Python
 */
bool
IsMemory(const std::filesystem::directory_entry& entry)
{
    std::error_code error;
    return std::filesystem::read_symlink(entry, error).native().starts_with("/memfd:");
}

} // namespace

OpenFiles
OpenFiles::Find()
{
    OpenFiles files;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    {
        int descriptor = -1;

        struct stat status
        {
        };

        if (ParseText(entry.path().filename().string(), descriptor) && descriptor > STDERR_FILENO &&
            IsWritable(descriptor) && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
            !IsMemory(entry))
        {
            files.m_files.push_back({descriptor, lseek(descriptor, 0, SEEK_CUR), status.st_size});
        }
    }
    return files;
}

void
OpenFiles::Rewind() const
{
    for (const auto& file : m_files)
    {
        if (ftruncate(file.descriptor, file.size) != 0 ||
            lseek(file.descriptor, file.offset, SEEK_SET) == -1)
        {
            ReportError("a file of the simulation cannot be cut to its length at the snapshot, " +
                        std::to_string(file.size) + " bytes: " + std::strerror(errno));
            std::_Exit(1);
        }
    }
}

void
OpenFiles::DiscardWrites() const
{
    for (const auto& file : m_files)
    {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, file.descriptor);
        close(nowhere);
    }
}

} // namespace ns3
