// SPDX-License-Identifier: GPL-2.0-only

#include "temporary-directory.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

TemporaryDirectory::TemporaryDirectory()
    : m_path(std::filesystem::temp_directory_path() / ("defiance-" + std::string(6, 'X')))
{
    if (!mkdtemp(m_path.data())) // replaces the X by other letters
    {
        throw std::system_error(errno, std::generic_category(), m_path);
    }
}

TemporaryDirectory::~TemporaryDirectory()
{
    std::error_code ignored; // a destructor cannot report errors
    std::filesystem::remove_all(m_path, ignored);
}

std::string
TemporaryDirectory::GetPath(const std::string& name) const
{
    return m_path + "/" + name;
}
