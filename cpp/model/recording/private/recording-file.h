// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>

namespace ns3
{

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
    explicit RecordingFile(std::string path);

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
    void WriteText(std::string_view text);

    /**
     * Replace the content of the file by a text. Readers find the old or the new content, if the
     * new one is not shorter.
     *
     * @param text The text.
     */
    void Replace(std::string_view text);

    /**
     * Rename the file, and replace a file of that name.
     *
     * @param path New path of the file.
     */
    void Rename(const std::string& path);

    /** Write all lines to the operating system. */
    void Flush();

    /** Write all lines if some have waited for a moment of real time. */
    void FlushIfOld();

    /** Write all lines, and close the file. */
    void Close();

  private:
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
    void Append(std::string_view text);

    /** Write all lines if there are many. */
    void FlushIfMany();

    std::string m_path;                                //!< Path of the file
    int m_descriptor;                                  //!< Descriptor of the file; -1: closed
    std::string m_lines;                               //!< Lines that are not written yet
    std::chrono::steady_clock::time_point m_flushed{}; //!< Time of the last flush
};

} // namespace ns3

#endif /* RECORDING_FILE_H */
