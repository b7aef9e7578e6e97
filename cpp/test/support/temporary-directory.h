// SPDX-License-Identifier: GPL-2.0-only

#ifndef TEMPORARY_DIRECTORY_H
#define TEMPORARY_DIRECTORY_H

#include <string>

/**
 * @brief A new directory that is deleted with its owner, under TMPDIR or /tmp.
 *
 * Its path is short: a Unix socket's address cannot hold the paths that ns-3 makes from tests'
 * names.
 */
class TemporaryDirectory
{
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();

    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    /**
     * @param name Name of a file.
     * @return its path in the directory
     */
    std::string GetPath(const std::string& name) const;

  private:
    std::string m_path; //!< Path of the directory
};

#endif /* TEMPORARY_DIRECTORY_H */
