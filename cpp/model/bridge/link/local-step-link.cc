// SPDX-License-Identifier: GPL-2.0-only

#include "private/local-step-link.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/** The prefix of endpoints of this kind. */
const std::string DESCRIPTORS = "fd:";

/** Makes Python read its mailbox: no message of the protocol is empty. */
const std::string WAKE;

/**
 * Map memory that is shared with Python.
 *
 * @tparam T Type of its content.
 * @param descriptor The memory.
 * @return the content
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
    return endpoint.starts_with(DESCRIPTORS);
}

LocalStepLink::LocalStepLink(const BridgeOptions& options)
    : StepLink(options),
      m_stream(options.spinMicroseconds),
      m_spin(options.spinMicroseconds)
{
}

LocalStepLink::~LocalStepLink()
{
    Close();
}

void
LocalStepLink::Connect()
{
    int reader = -1;
    int writer = -1;
    std::vector<int*> descriptors{&reader, &writer, &m_memory, &m_doorbellMemory};
    std::istringstream numbers(m_options.endpoint.substr(DESCRIPTORS.size()));
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
    m_stream.Open(reader, writer);
    if (m_memory >= 0)
    {
        m_mailboxes = Map<Mailboxes>(m_memory);
        m_doorbell = Map<Doorbell>(m_doorbellMemory);
    }
}

void
LocalStepLink::SendBytes(const std::string& bytes)
{
    // Python reads the messages before its first answer at any time, so there may be several.
    const bool fits = m_mailboxes && m_answered && bytes.size() <= Mailbox::CAPACITY;
    if (!fits)
    {
        WriteBytes(bytes);
        return;
    }
    std::memcpy(m_mailboxes->toPython.bytes, bytes.data(), bytes.size());
    const bool asleep = m_mailboxes->toPython.Post(bytes.size());
    if (m_doorbell->Arrive() || asleep)
    {
        WriteBytes(WAKE);
    }
}

void
LocalStepLink::WriteBytes(const std::string& bytes)
{
    const Length length = bytes.size();
    m_stream.Write({reinterpret_cast<const char*>(&length), sizeof(length)}, bytes);
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
    const auto limit = m_spin.Begin(SpinLimit::Clock::now());
    m_spin.Note(mailbox.SpinWait(limit.count()));
    while (!mailbox.HasMessage())
    {
        const auto rung = m_doorbell->rings.load(std::memory_order_seq_cst);
        if (mailbox.PrepareToSleep())
        {
            m_doorbell->Sleep(rung, m_mailboxes->listener);
        }
        else if (!mailbox.HasMessage())
        {
            throw BridgeFault(PYTHON_LEFT);
        }
    }
    m_spin.End(SpinLimit::Clock::now());
    ++mailbox.read;
    return {mailbox.bytes, CheckLength(mailbox.GetLength(), Mailbox::CAPACITY)};
}

std::string_view
LocalStepLink::ReadBytes()
{
    Length length = 0;
    std::memcpy(&length, m_stream.Read(sizeof(length)).data(), sizeof(length));
    return m_stream.Read(CheckLength(length));
}

void
LocalStepLink::Close()
{
    if (m_mailboxes)
    {
        munmap(m_mailboxes, sizeof(Mailboxes));
        munmap(m_doorbell, sizeof(Doorbell));
        m_mailboxes = nullptr;
    }
    m_stream.Close();
    for (auto* descriptor : {&m_memory, &m_doorbellMemory})
    {
        if (*descriptor >= 0)
        {
            close(*descriptor);
            *descriptor = -1;
        }
    }
}

} // namespace ns3
