// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include "bridge-options.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

/** Time for which a process that ends may still hold a lock. */
constexpr std::chrono::seconds LOCK_PATIENCE{1};

/** Time between two attempts to lock a file. */
constexpr std::chrono::milliseconds LOCK_PAUSE{5};

/**
 * @brief The positions in this process's output files, such as traces, at one moment.
 *
 * Standard input, output and error are not included.
 */
class OpenFiles
{
  public:
    /**
     * @return the regular files that are open for writing, and their positions
     */
    static OpenFiles Find()
    {
        OpenFiles files;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        {
            int descriptor = -1;

            struct stat status
            {
            };

            if (ParseText(entry.path().filename().string(), descriptor) &&
                descriptor > STDERR_FILENO && IsWritable(descriptor) &&
                fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && !IsMemory(entry))
            {
                const auto offset = lseek(descriptor, 0, SEEK_CUR);
                files.m_files.push_back(
                    {descriptor, offset, status.st_size, status.st_dev, status.st_ino});
            }
        }
        return files;
    }

    /**
     * Lock the files that this process alone should write: those that are open only for writing,
     * and not for appending. The locks end with the process.
     *
     * @return the path of a file that another process has locked; empty: there is none
     */
    std::string Lock() const
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

    /** Open each file again, so that this process shares neither positions nor locks. */
    void Separate() const
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

    /** Cut each file to its length at that moment, and continue there. */
    void Rewind() const
    {
        for (const auto& file : m_files)
        {
            if (ftruncate(file.descriptor, file.size) != 0 ||
                lseek(file.descriptor, file.offset, SEEK_SET) == -1)
            {
                ReportError(
                    "a file of the simulation cannot be cut to its length at the snapshot, " +
                    std::to_string(file.size) + " bytes: " + std::strerror(errno));
                std::_Exit(1);
            }
        }
    }

    /** Discard all further writes to the files. */
    void DiscardWrites() const
    {
        for (const auto& file : m_files)
        {
            const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
            dup2(nowhere, file.descriptor);
            close(nowhere);
        }
    }

  private:
    /**
     * @param descriptor A descriptor.
     * @return the path of its file
     */
    static std::filesystem::path GetLink(int descriptor)
    {
        return "/proc/self/fd/" + std::to_string(descriptor);
    }

    /**
     * Lock a file, if its file system has locks.
     *
     * @param descriptor Descriptor of the file.
     * @return whether no other process has locked it
     */
    static bool LockOne(int descriptor)
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
    static bool IsWritable(int descriptor)
    {
        const int flags = fcntl(descriptor, F_GETFL);
        return flags != -1 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
    }

    /**
     * @param entry Link to an open file.
     * @return whether it is unnamed memory, such as memory shared with Python
     */
    static bool IsMemory(const std::filesystem::directory_entry& entry)
    {
        std::error_code error;
        return std::filesystem::read_symlink(entry, error).native().starts_with("/memfd:");
    }

    /** One open file. */
    struct File
    {
        int descriptor; //!< Descriptor of the file
        off_t offset;   //!< Offset of the next write
        off_t size;     //!< Length of the file
        dev_t device;   //!< Device of the file
        ino_t inode;    //!< Number of the file on the device
    };

    std::vector<File> m_files; //!< The files
};

} // namespace ns3

#endif // OPEN_FILES_H
