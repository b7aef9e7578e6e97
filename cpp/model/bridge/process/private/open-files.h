// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <sys/types.h>

#include <string>
#include <vector>

namespace ns3
{

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
    static OpenFiles Find();

    /**
     * Lock the files that this process alone should write: those that are open only for writing,
     * and not for appending. The locks end with the process.
     *
     * @return the path of a file that another process has locked; empty: there is none
     */
    std::string Lock() const;

    /** Open each file again, so that this process shares neither positions nor locks. */
    void Separate() const;

    /** Cut each file to its length at that moment, and continue there. */
    void Rewind() const;

    /** Discard all further writes to the files. */
    void DiscardWrites() const;

  private:
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

#endif /* OPEN_FILES_H */
