// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <sys/types.h>

#include <vector>

namespace ns3
{

/**
 * @brief How far this process has written its files, such as traces, at one moment.
 *
 * Standard input, output and error do not belong to them.
 */
class OpenFiles
{
  public:
    /**
     * @return the regular files that are open for writing, and how far they are written now
     */
    static OpenFiles Find();

    /** Cut each file to its length of that moment, and continue there. */
    void Rewind() const;

    /** Lose whatever is written to the files from now on. */
    void DiscardWrites() const;

  private:
    /** One open file. */
    struct File
    {
        int descriptor; //!< Its descriptor
        off_t offset;   //!< Where it is written next
        off_t size;     //!< Its length
    };

    std::vector<File> m_files; //!< The files
};

} // namespace ns3

#endif /* OPEN_FILES_H */
