// SPDX-License-Identifier: GPL-2.0-only

#ifndef LOCAL_STEP_LINK_H
#define LOCAL_STEP_LINK_H

#include "byte-stream.h"
#include "doorbell.h"
#include "mailbox.h"
#include "spin-limit.h"
#include "step-link.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * @brief Two pipes to the Python process that started this process, inherited from it. Each message
 * follows its length, 8 bytes in the byte order of this machine.
 *
 * With shared memory, all messages after Python's first one use mailboxes, and a doorbell wakes the
 * simulation. The pipes then carry messages that are too long, which an empty message in the
 * mailbox announces to the simulation, and empty messages that wake Python.
 */
class LocalStepLink : public StepLink
{
  public:
    /**
     * @param endpoint An endpoint.
     * @return whether it is "fd:<reader>,<writer>[,<mailboxes>,<bell>]", with descriptors
     */
    static bool IsFor(const std::string& endpoint);

    /**
     * @param options Endpoint.
     */
    explicit LocalStepLink(const BridgeOptions& options);
    ~LocalStepLink() override;

    void Connect() override;
    void Close() override;

  private:
    using Length = uint64_t; //!< The header of a message in a pipe

    void SendBytes(const std::string& bytes) override;
    std::string_view ReceiveBytes() override;

    /**
     * Wait for a message in the mailbox.
     *
     * @return the message, valid until the next call; nothing: the message is in the pipe
     */
    std::string_view AwaitMailbox();

    /**
     * Write a message to the pipe.
     *
     * @param bytes The message.
     */
    void WriteBytes(const std::string& bytes);

    /**
     * Read a message from the pipe.
     *
     * @return the message, valid until the next call
     */
    std::string_view ReadBytes();

    ByteStream m_stream;             //!< The pipes
    SpinLimit m_spin;                //!< Limit of looking into the mailbox
    int m_memory{-1};                //!< Memory of the mailboxes
    int m_doorbellMemory{-1};        //!< Memory of the doorbell
    Mailboxes* m_mailboxes{nullptr}; //!< Mailboxes in shared memory, or null
    Doorbell* m_doorbell{nullptr};   //!< Doorbell in shared memory, or null
    bool m_answered{false};          //!< Whether Python has been asked for a message
};

} // namespace ns3

#endif /* LOCAL_STEP_LINK_H */
