// SPDX-License-Identifier: GPL-2.0-only

#ifndef BYTE_STREAM_H
#define BYTE_STREAM_H

#include "bridge-fault.h"
#include "spin-limit.h"

#include <poll.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace ns3
{

/** Least room for one read, in bytes: the capacity of a pipe. */
constexpr std::size_t CHUNK = 64 * 1024;

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
    explicit ByteStream(std::optional<double> spinMicroseconds)
        : m_spin(spinMicroseconds),
          m_buffer(CHUNK)
    {
    }

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
    void Open(int reader, int writer)
    {
        m_reader = reader;
        m_writer = writer;
        m_begin = m_end = 0;
        // A write after Python's end fails with an error, not with a signal.
        std::signal(SIGPIPE, SIG_IGN);
    }

    /**
     * @param head The first part.
     * @param body The second part.
     */
    void Write(std::string_view head, std::string_view body)
    {
        std::array<iovec, 2> parts{{{const_cast<char*>(head.data()), head.size()},
                                    {const_cast<char*>(body.data()), body.size()}}};
        std::size_t first = 0;
        while (first < parts.size())
        {
            auto written = writev(m_writer, parts.data() + first, parts.size() - first);
            if (written < 0 && errno != EINTR)
            {
                throw BridgeFault(std::string("cannot send to Python: ") + std::strerror(errno));
            }
            for (written = std::max<ssize_t>(written, 0); first < parts.size(); ++first)
            {
                const auto taken = std::min<std::size_t>(written, parts[first].iov_len);
                parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + taken;
                parts[first].iov_len -= taken;
                written -= static_cast<ssize_t>(taken);
                if (parts[first].iov_len > 0)
                {
                    break;
                }
            }
        }
    }

    /**
     * Wait for bytes.
     *
     * @param size Number of bytes.
     * @return the bytes, valid until the next call
     */
    std::string_view Read(std::size_t size)
    {
        if (m_buffer.size() - m_begin < size)
        {
            std::copy(m_buffer.begin() + m_begin, m_buffer.begin() + m_end, m_buffer.begin());
            m_end -= m_begin;
            m_begin = 0;
        }
        while (m_end - m_begin < size)
        {
            // Grow with the received bytes, not with the announced length.
            if (m_end == m_buffer.size())
            {
                m_buffer.resize(std::min(size, 2 * m_buffer.size()));
            }
            ReadMore();
        }
        const std::string_view bytes(m_buffer.data() + m_begin, size);
        m_begin += size;
        return bytes;
    }

    /** Close the descriptors; may be called repeatedly. */
    void Close()
    {
        if (m_reader >= 0)
        {
            close(m_reader);
        }
        if (m_writer >= 0 && m_writer != m_reader)
        {
            close(m_writer);
        }
        m_reader = m_writer = -1;
    }

  private:
    /** Wait for further bytes. */
    void ReadMore()
    {
        if (m_begin == m_end)
        {
            m_begin = m_end = 0;
        }
        Spin();
        ssize_t count;
        do
        {
            count = read(m_reader, m_buffer.data() + m_end, m_buffer.size() - m_end);
        } while (count < 0 && errno == EINTR);
        m_spin.End(SpinLimit::Clock::now());
        if (count < 0 && errno == EAGAIN)
        {
            throw BridgeFault("no answer arrived in time");
        }
        if (count < 0)
        {
            throw BridgeFault(std::string("cannot receive from Python: ") + std::strerror(errno));
        }
        if (count == 0)
        {
            throw BridgeFault(PYTHON_LEFT);
        }
        m_end += static_cast<std::size_t>(count);
    }

    /** Poll for bytes for a while, and yield to other threads on the core. */
    void Spin()
    {
        const auto now = SpinLimit::Clock::now();
        const auto limit = m_spin.Begin(now);
        if (limit.count() <= 0)
        {
            return;
        }
        pollfd item{m_reader, POLLIN, 0};
        bool found = poll(&item, 1, 0) != 0; // read() reports errors
        while (!found && SpinLimit::Clock::now() - now < limit)
        {
            sched_yield();
            found = poll(&item, 1, 0) != 0;
        }
        m_spin.Note(found);
    }

    SpinLimit m_spin;           //!< Limit of busy waiting
    int m_reader{-1};           //!< Descriptor of data from Python
    int m_writer{-1};           //!< Descriptor of data to Python
    std::vector<char> m_buffer; //!< Bytes read
    std::size_t m_begin{0};     //!< Begin of the bytes that are not consumed, in the buffer
    std::size_t m_end{0};       //!< End of the bytes read, in the buffer
};

} // namespace ns3

#endif // BYTE_STREAM_H
