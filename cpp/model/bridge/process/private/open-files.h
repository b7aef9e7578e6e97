// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <sys/types.h>

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
    };

    std::vector<File> m_files; //!< The files
};

} // namespace ns3

#endif /* OPEN_FILES_H */
