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
 * Every method throws BridgeFault when Python is gone.
 */
class ByteStream
{
  public:
    /**
     * @param spinMicroseconds Time of busy waiting for bytes; none: see SpinLimit.
     */
    explicit ByteStream(std::optional<double> spinMicroseconds);

    ~ByteStream()
    {
        Close();
    }

    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    /**
     * Take ownership of descriptors.
     *
     * @param reader The descriptor for Python's bytes.
     * @param writer The descriptor for bytes to Python; may be the same.
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
     * @param size Number of bytes.
     * @return the bytes, valid until the next call
     */
    std::string_view Read(std::size_t size);

    /** Close the descriptors; may be called repeatedly. */
    void Close();

  private:
    /** Wait for further bytes. */
    void ReadMore();

    /** Poll for bytes for a while, and yield to other threads on the core. */
    void Spin();

    SpinLimit m_spin;           //!< Limit of busy waiting
    int m_reader{-1};           //!< Descriptor of data from Python
    int m_writer{-1};           //!< Descriptor of data to Python
    std::vector<char> m_buffer; //!< Bytes read
    std::size_t m_begin{0};     //!< Begin of the bytes that are not consumed, in the buffer
    std::size_t m_end{0};       //!< End of the bytes read, in the buffer
};

} // namespace ns3

#endif /* BYTE_STREAM_H */
