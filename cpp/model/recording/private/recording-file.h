// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include "bridge-options.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace ns3
{

constexpr std::size_t MANY = 1 << 16;           // bytes that are written at once
constexpr std::chrono::milliseconds MOMENT{10}; // time after which fewer bytes are written, too

/**
 * @brief A text file that is written line by line while the simulation runs.
 *
 * Lines reach the file whole and in order: in groups, and after a moment of real time. If the
 * process is killed, only the last lines are missing.
 */
class RecordingFile
{
  public:
    /**
     * Create an empty file; end the process on a failure.
     *
     * @param path Path of the file.
     */
    explicit RecordingFile(std::string path)
        : m_path(std::move(path)),
          m_descriptor(open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))
    {
        if (m_descriptor == -1)
        {
            FailToWrite(m_path);
        }
    }

    ~RecordingFile()
    {
        Close();
    }

    // A copy would write the same lines again.
    RecordingFile(const RecordingFile&) = delete;
    RecordingFile& operator=(const RecordingFile&) = delete;

    /**
     * Write a line of values with commas between them.
     *
     * @param values Integers, floating-point numbers, texts.
     */
    template <typename... Values>
    void WriteLine(const Values&... values)
    {
        (Append(values), ...);
        m_lines.back() = '\n';
        FlushIfMany();
    }

    /**
     * Write text that ends with a newline.
     *
     * @param text The text.
     */
    void WriteText(std::string_view text)
    {
        m_lines += text;
        FlushIfMany();
    }

    /**
     * Replace the content of the file by a text. Readers find the old or the new content, if the
     * new one is not shorter.
     *
     * @param text The text.
     */
    void Replace(std::string_view text)
    {
        errno = ENOSPC; // for a short write, which sets no error
        // In a copy of the process that must not write, the descriptor is a device without a
        // length.
        if (pwrite(m_descriptor, text.data(), text.size(), 0) !=
                static_cast<ssize_t>(text.size()) ||
            (ftruncate(m_descriptor, static_cast<off_t>(text.size())) != 0 && errno != EINVAL))
        {
            FailToWrite(m_path);
        }
    }

    /**
     * Rename the file, and replace a file of that name.
     *
     * @param path New path of the file.
     */
    void Rename(const std::string& path)
    {
        if (std::rename(m_path.c_str(), path.c_str()) != 0)
        {
            FailToWrite(path);
        }
        m_path = path;
    }

    /** Write all lines to the operating system. */
    void Flush()
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

    /** Write all lines if some have waited for a moment of real time. */
    void FlushIfOld()
    {
        if (!m_lines.empty() && std::chrono::steady_clock::now() - m_flushed >= MOMENT)
        {
            Flush();
        }
    }

    /** Write all lines, and close the file. */
    void Close()
    {
        Flush();
        if (m_descriptor != -1)
        {
            close(m_descriptor);
            m_descriptor = -1;
        }
    }

  private:
    /**
     * Report that a file cannot be written, and end the process.
     *
     * @param path The file.
     */
    [[noreturn]] static void FailToWrite(const std::string& path)
    {
        ReportError("the recording cannot be written to '" + path + "': " + std::strerror(errno));
        EndProcess(1);
    }

    /** @param number A value. */
    template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>

    void Append(Number number)
    {
        std::array<char, 32> text;
        const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
        m_lines.append(text.data(), end);
        m_lines += ',';
    }

    /** @param text A value; quoted if necessary. */
    void Append(std::string_view text)
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

    /** Write all lines if there are many. */
    void FlushIfMany()
    {
        if (m_lines.size() >= MANY)
        {
            Flush();
        }
    }

    std::string m_path;                                //!< Path of the file
    int m_descriptor;                                  //!< Descriptor of the file; -1: closed
    std::string m_lines;                               //!< Lines that are not written yet
    std::chrono::steady_clock::time_point m_flushed{}; //!< Time of the last flush
};

} // namespace ns3

#endif // RECORDING_FILE_H
