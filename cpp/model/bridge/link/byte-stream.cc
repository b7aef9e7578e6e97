// SPDX-License-Identifier: GPL-2.0-only

#include "private/byte-stream.h"

#include "private/bridge-fault.h"

#include <poll.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace ns3
{

namespace
{

/** Least room for one read, in bytes: the capacity of a pipe. */
constexpr std::size_t CHUNK = 64 * 1024;

} // namespace

ByteStream::ByteStream(std::optional<double> spinMicroseconds)
    : m_spin(spinMicroseconds),
      m_buffer(CHUNK)
{
}

void
ByteStream::Open(int reader, int writer)
{
    m_reader = reader;
    m_writer = writer;
    m_begin = m_end = 0;
    // A write after Python's end fails with an error, not with a signal.
    std::signal(SIGPIPE, SIG_IGN);
}

void
ByteStream::Write(std::string_view head, std::string_view body)
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

std::string_view
ByteStream::Read(std::size_t size)
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

void
ByteStream::ReadMore()
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

void
ByteStream::Spin()
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

void
ByteStream::Close()
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

} // namespace ns3
