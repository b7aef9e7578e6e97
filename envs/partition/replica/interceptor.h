// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERCEPTOR_H
#define INTERCEPTOR_H

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief A message that has arrived at a node, but not at its replica.
 */
struct HeldMessage
{
    uint32_t from{0};           //!< Number of the sending replica
    Time arrived{};             //!< Time of arrival
    Ptr<const Packet> packet{}; //!< The message
};

/**
 * @brief Holds each message between a node's network and its replica, until the message is released
 * or discarded.
 *
 * Messages are distinguished by their number, not by their content: two equal messages are two.
 *
 * With attribute Holds set to false, each message is released at once.
 */
class Interceptor : public Object
{
  public:
    /// Takes the number of the sender and a message.
    using Receiver = Callback<void, uint32_t, Ptr<const Packet>>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<Interceptor, Object>("ns3::Interceptor")
                .AddAttribute("Holds",
                              "Whether messages are held until they are released.",
                              BooleanValue(true),
                              MakeBooleanAccessor(&Interceptor::m_holds),
                              MakeBooleanChecker())
                .AddTraceSource("Hold",
                                "A message has arrived, and is held.",
                                MakeTraceSourceAccessor(&Interceptor::m_holdTrace),
                                "ns3::Interceptor::MessageTracedCallback")
                .AddTraceSource("Release",
                                "A message is delivered to the replica.",
                                MakeTraceSourceAccessor(&Interceptor::m_releaseTrace),
                                "ns3::Interceptor::MessageTracedCallback")
                .AddTraceSource("Discard",
                                "A message is discarded.",
                                MakeTraceSourceAccessor(&Interceptor::m_discardTrace),
                                "ns3::Interceptor::MessageTracedCallback");
        return tid;
    }

    /**
     * @param receiver Receives released messages.
     */
    void SetReceiver(Receiver receiver)
    {
        m_receiver = receiver;
    }

    /**
     * Hold a message that has arrived.
     *
     * @param from Number of the sending replica.
     * @param packet The message.
     */
    void Hold(uint32_t from, Ptr<const Packet> packet)
    {
        m_held.emplace(++m_lastNumber, HeldMessage{from, Simulator::Now(), packet});
        m_holdTrace(from, packet);
        if (!m_holds)
        {
            Release(m_lastNumber);
        }
    }

    /**
     * Release a message to the replica.
     *
     * @param number Number of the message.
     */
    void Release(uint64_t number)
    {
        const auto message = Take(number);
        m_releaseTrace(message.from, message.packet);
        m_receiver(message.from, message.packet);
    }

    /**
     * Discard a message.
     *
     * @param number Number of the message.
     */
    void Discard(uint64_t number)
    {
        const auto message = Take(number);
        m_discardTrace(message.from, message.packet);
    }

    /// Discard all messages
    void DiscardAll()
    {
        while (!m_held.empty())
        {
            Discard(m_held.begin()->first);
        }
    }

    /// @return whether messages are held until they are released
    bool Holds() const
    {
        return m_holds;
    }

    /**
     * @return the held messages by number, oldest first
     */
    const std::map<uint64_t, HeldMessage>& GetHeld() const
    {
        return m_held;
    }

    /**
     * TracedCallback signature of a message's fate.
     * @param [in] from number of the sending replica
     * @param [in] packet the message
     */
    typedef void (*MessageTracedCallback)(uint32_t from, Ptr<const Packet> packet);

  protected:
    void DoDispose() override
    {
        m_held.clear();
        m_receiver = Receiver();
        Object::DoDispose();
    }

  private:
    /**
     * Remove a message.
     *
     * @param number Number of the message.
     * @return the message
     */
    HeldMessage Take(uint64_t number)
    {
        const auto entry = m_held.extract(number);
        NS_ABORT_MSG_IF(entry.empty(), "No message " << number << " is held");
        return entry.mapped();
    }

    bool m_holds;                                               //!< Whether it holds messages
    uint64_t m_lastNumber{0};                                   //!< Number of the newest message
    std::map<uint64_t, HeldMessage> m_held;                     //!< Held messages by number
    Receiver m_receiver;                                        //!< Receives released messages
    TracedCallback<uint32_t, Ptr<const Packet>> m_holdTrace;    //!< Arrived messages
    TracedCallback<uint32_t, Ptr<const Packet>> m_releaseTrace; //!< Released messages
    TracedCallback<uint32_t, Ptr<const Packet>> m_discardTrace; //!< Discarded messages
};

NS_OBJECT_ENSURE_REGISTERED(Interceptor);

} // namespace ns3

#endif // INTERCEPTOR_H
