// SPDX-License-Identifier: GPL-2.0-only

#ifndef BYTE_STREAM_H
#define BYTE_STREAM_H

#include "spin-limit.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @brief Bytes to and from Python, through pipes or a socket.
 *
 * Every method throws BridgeFault when Python has gone.
 */
class ByteStream
{
  public:
    /**
     * @param spinMicroseconds How long to look for bytes before sleeping; none: see SpinLimit.
     */
    explicit ByteStream(std::optional<double> spinMicroseconds);
    ~ByteStream();

    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    /**
     * Take over descriptors.
     *
     * @param reader The descriptor from which Python's bytes come.
     * @param writer The descriptor to which bytes for Python go; may be the same.
     */
    void Open(int reader, int writer);

    /**
     * @param head The first part.
     * @param body The second part.
     */
    void Write(std::string_view head, std::string_view body);

    /**
     * Wait for bytes.
     *
     * @param size How many.
     * @return the bytes, which stay until the next call
     */
    std::string_view Read(std::size_t size);

    /** Close the descriptors; may be called again. */
    void Close();

  private:
    /** Wait for further bytes. */
    void ReadMore();

    /** Look for bytes for a while, giving way to whoever else needs the core. */
    void Spin();

    SpinLimit m_spin;           //!< How long to look
    int m_reader{-1};           //!< From Python
    int m_writer{-1};           //!< To Python
    std::vector<char> m_buffer; //!< The bytes that have been read
    std::size_t m_begin{0};     //!< Where in the buffer what is still to be taken begins
    std::size_t m_end{0};       //!< Where in the buffer what has been read ends
};

} // namespace ns3

#endif /* BYTE_STREAM_H */
