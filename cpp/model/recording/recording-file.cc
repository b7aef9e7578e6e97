// SPDX-License-Identifier: GPL-2.0-only

#include "private/recording-file.h"

#include "bridge-options.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ns3
{

namespace
{

constexpr std::size_t MANY = 1 << 16;           // bytes that are written at once
constexpr std::chrono::milliseconds MOMENT{10}; // time after which fewer bytes are written, too

/**
 * Report that a file cannot be written, and end the process.
 *
 * @param path The file.
 */
[[noreturn]] void
FailToWrite(const std::string& path)
{
    ReportError("the recording cannot be written to '" + path + "': " + std::strerror(errno));
    EndProcess(1);
}

} // namespace

RecordingFile::RecordingFile(std::string path)
    : m_path(std::move(path)),
      m_descriptor(open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))
{
    if (m_descriptor == -1)
    {
        FailToWrite(m_path);
    }
}

void
RecordingFile::Append(std::string_view text)
{
    const auto quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    m_lines += quoted ? "\"" : "";
    for (const auto character : text)
    {
        m_lines += character;
        if (character == '"')
        {
            m_lines += character;
        }
    }
    m_lines += quoted ? "\"," : ",";
}

void
RecordingFile::WriteText(std::string_view text)
{
    m_lines += text;
    FlushIfMany();
}

void
RecordingFile::FlushIfMany()
{
    if (m_lines.size() >= MANY)
    {
        Flush();
    }
}

void
RecordingFile::FlushIfOld()
{
    if (!m_lines.empty() && std::chrono::steady_clock::now() - m_flushed >= MOMENT)
    {
        Flush();
    }
}

void
RecordingFile::Flush()
{
    std::string_view rest = m_lines;
    while (!rest.empty() && m_descriptor != -1)
    {
        const auto written = write(m_descriptor, rest.data(), rest.size());
        if (written == -1 && errno != EINTR)
        {
            FailToWrite(m_path);
        }
        rest.remove_prefix(written > 0 ? written : 0);
    }
    m_lines.clear();
    m_flushed = std::chrono::steady_clock::now();
}

void
RecordingFile::Replace(std::string_view text)
{
    errno = ENOSPC; // for a short write, which sets no error
    // In a copy of the process that must not write, the descriptor is a device without a length.
    if (pwrite(m_descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
        (ftruncate(m_descriptor, static_cast<off_t>(text.size())) != 0 && errno != EINVAL))
    {
        FailToWrite(m_path);
    }
}

void
RecordingFile::Rename(const std::string& path)
{
    if (std::rename(m_path.c_str(), path.c_str()) != 0)
    {
        FailToWrite(path);
    }
    m_path = path;
}

void
RecordingFile::Close()
{
    Flush();
    if (m_descriptor != -1)
    {
        close(m_descriptor);
        m_descriptor = -1;
    }
}

} // namespace ns3
