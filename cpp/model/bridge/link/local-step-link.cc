// SPDX-License-Identifier: GPL-2.0-only

#include "private/byte-stream.h"
#include "private/doorbell.h"
#include "private/mailbox.h"
#include "private/spin-limit.h"
#include "private/step-link.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

namespace
{

/** The prefix of endpoints of this kind. */
const std::string DESCRIPTORS = "fd:";

using Length = uint64_t; //!< The header of a message in a pipe

/** A header without a message, which makes Python read its mailbox. */
constexpr Length WAKE = ~Length{0};

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

/**
 * @brief Two pipes to the Python process that started this process, inherited from it. Each message
 * follows its length, 8 bytes in the byte order of this machine.
 *
 * With shared memory, all messages after Python's first one use mailboxes, and a doorbell wakes the
 * simulation. The pipes then carry messages that are too long, which an empty message in the
 * mailbox announces to the simulation, and headers that wake Python.
 */
class LocalStepLink : public StepLink
{
  public:
    /**
     * @param options Endpoint.
     */
    explicit LocalStepLink(const BridgeOptions& options)
        : StepLink(options),
          m_stream(options.spinMicroseconds),
          m_spin(options.spinMicroseconds)
    {
    }

    ~LocalStepLink() override
    {
        Close();
    }

    void Connect() override
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

    void Close() override
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

  private:
    void SendBytes(const std::string& bytes) override
    {
        // Python reads the messages before its first answer at any time, so there may be several.
        const bool fits = m_mailboxes && m_answered && bytes.size() <= Mailbox::CAPACITY;
        if (!fits)
        {
            WriteBytes(bytes.size(), bytes);
            return;
        }
        std::memcpy(m_mailboxes->toPython.bytes, bytes.data(), bytes.size());
        const bool asleep = m_mailboxes->toPython.Post(bytes.size());
        if (m_doorbell->Arrive() || asleep)
        {
            WriteBytes(WAKE, {});
        }
    }

    std::string_view ReceiveBytes() override
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

    /**
     * Wait for a message in the mailbox.
     *
     * @return the message, valid until the next call; nothing: the message is in the pipe
     */
    std::string_view AwaitMailbox()
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

    /**
     * Write to the pipe.
     *
     * @param header Length of the message, or WAKE.
     * @param bytes The message.
     */
    void WriteBytes(Length header, std::string_view bytes)
    {
        m_stream.Write({reinterpret_cast<const char*>(&header), sizeof(header)}, bytes);
    }

    /**
     * Read a message from the pipe.
     *
     * @return the message, valid until the next call
     */
    std::string_view ReadBytes()
    {
        Length length = 0;
        std::memcpy(&length, m_stream.Read(sizeof(length)).data(), sizeof(length));
        return m_stream.Read(CheckLength(length));
    }

    ByteStream m_stream;             //!< The pipes
    SpinLimit m_spin;                //!< Limit of looking into the mailbox
    int m_memory{-1};                //!< Memory of the mailboxes
    int m_doorbellMemory{-1};        //!< Memory of the doorbell
    Mailboxes* m_mailboxes{nullptr}; //!< Mailboxes in shared memory, or null
    Doorbell* m_doorbell{nullptr};   //!< Doorbell in shared memory, or null
    bool m_answered{false};          //!< Whether Python has been asked for a message
};

} // namespace

std::unique_ptr<StepLink>
StepLink::MakeLocal(const BridgeOptions& options)
{
    return options.endpoint.starts_with(DESCRIPTORS) ? std::make_unique<LocalStepLink>(options)
                                                     : nullptr;
}

} // namespace ns3
