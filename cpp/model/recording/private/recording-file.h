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
 * @brief A file of text that is written line by line while the simulation runs.
 *
 * Lines reach the file whole and in order: when many have come together, and when a moment of real
 * time has passed. A process that is killed leaves all but the last ones.
 */
class RecordingFile
{
  public:
    /**
     * Create an empty file; end the process if that is not possible.
     *
     * @param path Its path.
     */
    explicit RecordingFile(std::string path);
    ~RecordingFile();

    // A copy would write the same lines once more.
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
     * Write text that ends with a line.
     *
     * @param text The text.
     */
    void WriteText(std::string_view text);

    /**
     * Put a text in place of all that is in the file, where readers find the old or the new one as
     * long as that is not shorter.
     *
     * @param text The text.
     */
    void Replace(std::string_view text);

    /**
     * Give the file another name, in place of one that has it.
     *
     * @param path Its new path.
     */
    void Rename(const std::string& path);

    /** Hand the lines over to the operating system. */
    void Flush();

    /** Do so if some have waited for a moment of real time. */
    void FlushIfOld();

    /** Hand over the lines, and close the file. */
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

    /** @param text A value; it is quoted where it would not be one otherwise. */
    void Append(std::string_view text);

    /** Hand the lines over if there are many. */
    void FlushIfMany();

    std::string m_path;                                //!< Of the file
    int m_descriptor;                                  //!< Of the file; -1: it was closed
    std::string m_lines;                               //!< That are not in the file yet
    std::chrono::steady_clock::time_point m_flushed{}; //!< When lines were handed over
};

} // namespace ns3

#endif /* RECORDING_FILE_H */
