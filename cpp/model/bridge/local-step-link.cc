// SPDX-License-Identifier: GPL-2.0-only

#include "private/local-step-link.h"

#include <poll.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace ns3
{

namespace
{

/** What the endpoints of this kind begin with. */
const std::string PREFIX = "fd:";

/** Least room for what is read at once, in bytes: as much as a pipe holds. */
constexpr std::size_t CHUNK = 64 * 1024;

} // namespace

bool
LocalStepLink::IsFor(const std::string& endpoint)
{
    return endpoint.starts_with(PREFIX);
}

LocalStepLink::LocalStepLink(const BridgeOptions& options)
    : StepLink(options),
      m_buffer(CHUNK)
{
}

LocalStepLink::~LocalStepLink()
{
    Close();
}

void
LocalStepLink::Connect()
{
    const auto numbers = m_options.endpoint.substr(PREFIX.size());
    const auto comma = numbers.find(',');
    if (comma == std::string::npos || !ParseText(numbers.substr(0, comma), m_reader) ||
        !ParseText(numbers.substr(comma + 1), m_writer))
    {
        throw BridgeFault("the endpoint '" + m_options.endpoint +
                          "' is not fd:<descriptor to read from>,<descriptor to write to>");
    }
    // A Python that has gone is an error of writing, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
}

void
LocalStepLink::SendBytes(const std::string& bytes)
{
    const Length length = bytes.size();
    std::array<iovec, 2> parts{{{const_cast<Length*>(&length), sizeof(length)},
                                {const_cast<char*>(bytes.data()), bytes.size()}}};
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
LocalStepLink::ReceiveBytes()
{
    Length length = 0;
    while (m_end - m_begin < sizeof(length))
    {
        ReadMore();
    }
    std::memcpy(&length, m_buffer.data() + m_begin, sizeof(length));
    const auto size = sizeof(length) + length;
    if (m_buffer.size() - m_begin < size)
    {
        std::copy(m_buffer.begin() + m_begin, m_buffer.begin() + m_end, m_buffer.begin());
        m_end -= m_begin;
        m_begin = 0;
        m_buffer.resize(std::max(size, m_buffer.size()));
    }
    while (m_end - m_begin < size)
    {
        ReadMore();
    }
    const std::string_view bytes(m_buffer.data() + m_begin + sizeof(length), length);
    m_begin += size;
    return bytes;
}

void
LocalStepLink::ReadMore()
{
    if (m_begin == m_end)
    {
        m_begin = m_end = 0;
    }
    if (m_options.spinMicroseconds > 0)
    {
        Spin();
    }
    ssize_t count;
    do
    {
        count = read(m_reader, m_buffer.data() + m_end, m_buffer.size() - m_end);
    } while (count < 0 && errno == EINTR);
    if (count <= 0)
    {
        throw BridgeFault(count == 0
                              ? "the Python process has closed the connection"
                              : std::string("cannot receive from Python: ") + std::strerror(errno));
    }
    m_end += static_cast<std::size_t>(count);
}

void
LocalStepLink::Spin() const
{
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double, std::micro> longest(m_options.spinMicroseconds);
    const auto began = Clock::now();
    pollfd item{m_reader, POLLIN, 0};
    while (poll(&item, 1, 0) == 0 && Clock::now() - began < longest)
    {
        sched_yield(); // Python may be waiting for this very core
    }
}

void
LocalStepLink::Close()
{
    for (auto* descriptor : {&m_reader, &m_writer})
    {
        if (*descriptor >= 0)
        {
            close(*descriptor);
            *descriptor = -1;
        }
    }
}

} // namespace ns3
