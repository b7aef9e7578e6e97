// SPDX-License-Identifier: GPL-2.0-only

#include "private/open-files.h"

#include "bridge-options.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace ns3
{

namespace
{

/** Time for which a process that ends may still hold a lock. */
constexpr std::chrono::seconds LOCK_PATIENCE{1};

/** Time between two attempts to lock a file. */
constexpr std::chrono::milliseconds LOCK_PAUSE{5};

/**
 * @param descriptor A descriptor.
 * @return the path of its file
 */
std::filesystem::path
GetLink(int descriptor)
{
    return "/proc/self/fd/" + std::to_string(descriptor);
}

/**
 * Lock a file, if its file system has locks.
 *
 * @param descriptor Descriptor of the file.
 * @return whether no other process has locked it
 */
bool
LockOne(int descriptor)
{
    const auto deadline = std::chrono::steady_clock::now() + LOCK_PATIENCE;
    while (flock(descriptor, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            return false;
        }
        std::this_thread::sleep_for(LOCK_PAUSE);
    }
    return true;
}

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
            const auto offset = lseek(descriptor, 0, SEEK_CUR);
            files.m_files.push_back(
                {descriptor, offset, status.st_size, status.st_dev, status.st_ino});
        }
    }
    return files;
}

std::string
OpenFiles::Lock() const
{
    std::set<std::pair<dev_t, ino_t>> known; // a lock belongs to one of several descriptors
    for (const auto& file : m_files)
    {
        const int flags = fcntl(file.descriptor, F_GETFL);
        const bool isExclusive = (flags & (O_ACCMODE | O_APPEND)) == O_WRONLY;
        if (isExclusive && known.emplace(file.device, file.inode).second &&
            !LockOne(file.descriptor))
        {
            std::error_code error;
            return std::filesystem::read_symlink(GetLink(file.descriptor), error).string();
        }
    }
    return "";
}

void
OpenFiles::Separate() const
{
    for (const auto& file : m_files)
    {
        const int flags = fcntl(file.descriptor, F_GETFL);
        const int closes = fcntl(file.descriptor, F_GETFD);
        const int own = open(GetLink(file.descriptor).c_str(), flags);
        if (own != -1) // its permissions may have changed
        {
            lseek(own, file.offset, SEEK_SET);
            dup3(own, file.descriptor, (closes & FD_CLOEXEC) ? O_CLOEXEC : 0);
            close(own);
        }
    }
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
