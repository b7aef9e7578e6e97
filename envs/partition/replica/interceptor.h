// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERCEPTOR_H
#define INTERCEPTOR_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief A message that has arrived at a node, and that its replica has not seen yet.
 */
struct HeldMessage
{
    uint32_t from{0};           //!< Number of the replica that sent it
    Time arrived{};             //!< When it arrived
    Ptr<const Packet> packet{}; //!< The message
};

/**
 * @brief Stands between a node's network and its replica, and holds each message that arrives until
 * it is released or discarded.
 *
 * Messages are distinguished by their number, never by their contents: two with equal content are
 * two.
 *
 * With attribute Holds set to false it holds nothing: what arrives is released at once.
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
    static TypeId GetTypeId();

    /**
     * @param receiver Gets what is released.
     */
    void SetReceiver(Receiver receiver);

    /**
     * Take in a message that has arrived.
     *
     * @param from Number of the replica that sent it.
     * @param packet The message.
     */
    void Hold(uint32_t from, Ptr<const Packet> packet);

    /**
     * Hand a message to the replica.
     *
     * @param number Number of the message.
     */
    void Release(uint64_t number);

    /**
     * Forget a message.
     *
     * @param number Number of the message.
     */
    void Discard(uint64_t number);

    void DiscardAll(); //!< Forget all messages

    /**
     * @return what it holds, by number, the oldest first
     */
    const std::map<uint64_t, HeldMessage>& GetHeld() const;

    /**
     * TracedCallback signature of a message's fate.
     * @param [in] from number of the replica that sent it
     * @param [in] packet the message
     */
    typedef void (*MessageTracedCallback)(uint32_t from, Ptr<const Packet> packet);

  protected:
    void DoDispose() override;

  private:
    /**
     * Take out a message.
     *
     * @param number Number of the message.
     * @return the message
     */
    HeldMessage Take(uint64_t number);

    bool m_holds;                                               //!< Until somebody releases
    uint64_t m_lastNumber{0};                                   //!< Of the newest message
    std::map<uint64_t, HeldMessage> m_held;                     //!< By number
    Receiver m_receiver;                                        //!< Gets what is released
    TracedCallback<uint32_t, Ptr<const Packet>> m_holdTrace;    //!< Arrived
    TracedCallback<uint32_t, Ptr<const Packet>> m_releaseTrace; //!< Handed over
    TracedCallback<uint32_t, Ptr<const Packet>> m_discardTrace; //!< Forgotten
};

} // namespace ns3

#endif // INTERCEPTOR_H
