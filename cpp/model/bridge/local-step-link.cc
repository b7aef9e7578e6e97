// SPDX-License-Identifier: GPL-2.0-only

#include "private/local-step-link.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>

namespace ns3
{

namespace
{

/** What the endpoints of this kind begin with. */
const std::string PREFIX = "fd:";

/** Tells Python to look into its mailbox: no message of the protocol is empty. */
const std::string WAKE;

/** What is wrong if there is nobody to talk to. */
const char* const PYTHON_LEFT = "the Python process has closed the connection";

/** Least room for what is read at once, in bytes: as much as a pipe holds. */
constexpr std::size_t CHUNK = 64 * 1024;

/**
 * Map memory that is shared with Python.
 *
 * @tparam T What is in it.
 * @param descriptor The memory.
 * @return what is in it
 */
template <typename T>
T*
Map(int descriptor)
{
    auto* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
    {
        throw BridgeFault(std::string("cannot share memory with Python: ") + std::strerror(errno));
    }
    return static_cast<T*>(memory);
}

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
    std::vector<int*> descriptors{&m_reader, &m_writer, &m_memory, &m_bellMemory};
    std::istringstream numbers(m_options.endpoint.substr(PREFIX.size()));
    std::size_t count = 0;
    bool valid = true;
    for (std::string number; std::getline(numbers, number, ',');)
    {
        valid = valid && count < descriptors.size() && ParseText(number, *descriptors[count++]);
    }
    if (!valid || count < 2 || count == 3)
    {
        throw BridgeFault("the endpoint '" + m_options.endpoint +
                          "' is not fd:<descriptor to read from>,<descriptor to write to>"
                          "[,<mailboxes>,<bell>]");
    }
    if (m_memory >= 0)
    {
        m_mailboxes = Map<Mailboxes>(m_memory);
        m_bell = Map<Bell>(m_bellMemory);
    }
    // A Python that has gone is an error of writing, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
}

void
LocalStepLink::SendBytes(const std::string& bytes)
{
    // Python takes what precedes its first answer as it comes, so that there may be several.
    const bool fits = m_mailboxes && m_answered && bytes.size() <= Mailbox::CAPACITY;
    if (!fits)
    {
        WriteBytes(bytes);
        return;
    }
    std::memcpy(m_mailboxes->toPython.bytes, bytes.data(), bytes.size());
    const bool asleep = m_mailboxes->toPython.Post(bytes.size());
    if (m_bell->Arrive() || asleep)
    {
        WriteBytes(WAKE);
    }
}

void
LocalStepLink::WriteBytes(const std::string& bytes)
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
    m_answered = true;
    if (m_mailboxes)
    {
        const auto bytes = AwaitMailbox();
        if (!bytes.empty())
        {
            return bytes;
        }
    }
    return ReadBytes();
}

std::string_view
LocalStepLink::AwaitMailbox()
{
    auto& mailbox = m_mailboxes->toSimulation;
    while (!mailbox.Look(m_options.spinMicroseconds))
    {
        const auto heard = m_bell->rings.load(std::memory_order_seq_cst);
        if (mailbox.Retire())
        {
            m_bell->Sleep(heard, m_mailboxes->listener);
        }
        else if (!mailbox.HasMessage())
        {
            throw BridgeFault(PYTHON_LEFT);
        }
    }
    ++mailbox.read;
    return {mailbox.bytes, mailbox.length};
}

std::string_view
LocalStepLink::ReadBytes()
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
    ssize_t count;
    do
    {
        count = read(m_reader, m_buffer.data() + m_end, m_buffer.size() - m_end);
    } while (count < 0 && errno == EINTR);
    if (count <= 0)
    {
        throw BridgeFault(count == 0
                              ? PYTHON_LEFT
                              : std::string("cannot receive from Python: ") + std::strerror(errno));
    }
    m_end += static_cast<std::size_t>(count);
}

void
LocalStepLink::Close()
{
    if (m_mailboxes)
    {
        munmap(m_mailboxes, sizeof(Mailboxes));
        munmap(m_bell, sizeof(Bell));
        m_mailboxes = nullptr;
    }
    for (auto* descriptor : {&m_reader, &m_writer, &m_memory, &m_bellMemory})
    {
        if (*descriptor >= 0)
        {
            close(*descriptor);
            *descriptor = -1;
        }
    }
}

} // namespace ns3
