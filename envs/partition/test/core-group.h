// SPDX-License-Identifier: GPL-2.0-only

#ifndef CORE_GROUP_H
#define CORE_GROUP_H

#include "replica-state.h"

#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance-tests
 * @brief Replicas of a protocol without a network: a test determines each message's arrival.
 *
 * @tparam Core A replica.
 * @tparam Storage Its disk.
 * @tparam Message A message between replicas.
 */
template <typename Core, typename Storage, typename Message>
class CoreGroup
{
  public:
    /// @param replicas number of replicas
    explicit CoreGroup(uint32_t replicas)
        : m_cores(replicas)
    {
        for (uint32_t id = 1; id <= replicas; id++)
        {
            m_storages.push_back(CreateObject<Storage>());
        }
    }

    /**
     * @param id Number of a replica that runs.
     * @return the replica
     */
    Core& operator[](uint32_t id)
    {
        return *m_cores.at(id - 1);
    }

    /**
     * @param id Number of a replica.
     * @return its disk
     */
    const Storage& GetStorage(uint32_t id) const
    {
        return *m_storages.at(id - 1);
    }

    /**
     * Deliver the oldest message from one replica to another.
     *
     * @param from Number of the sender.
     * @param to Number of the receiver.
     * @return whether there was one
     */
    bool Deliver(uint32_t from, uint32_t to)
    {
        const auto message = Take(from, to);
        if (message)
        {
            (*this)[to].Receive(*message);
        }
        return message.has_value();
    }

    /// Deliver all messages that are in flight now, and none that are sent meanwhile.
    void DeliverOld()
    {
        for (const auto& message : std::exchange(messages, {}))
        {
            (*this)[message.to].Receive(message);
        }
    }

    std::vector<ReplicaEvent> events; //!< Events of the replicas, oldest first
    std::vector<Message> messages;    //!< Messages in flight, oldest first

  protected:
    /**
     * Start a replica from its disk.
     *
     * @param id Its number.
     * @param parameters Its parameters, without numbers of replicas.
     * @param tell Receives its acts.
     */
    template <typename Parameters, typename Witness>
    void Begin(uint32_t id, Parameters parameters, Witness tell)
    {
        parameters.id = id;
        parameters.replicas = m_cores.size();
        m_cores[id - 1] = std::make_unique<Core>(
            parameters,
            m_storages[id - 1],
            [this](const Message& message) { messages.push_back(message); },
            tell);
    }

    /**
     * @param from Number of a sender.
     * @param to Number of a receiver.
     * @return the oldest message between them, which is removed from those in flight; or none
     */
    std::optional<Message> Take(uint32_t from, uint32_t to)
    {
        for (auto message = messages.begin(); message != messages.end(); ++message)
        {
            if (message->from == from && message->to == to)
            {
                const auto taken = *message;
                messages.erase(message);
                return taken;
            }
        }
        return {};
    }

    std::vector<Ptr<Storage>> m_storages;       //!< Disks
    std::vector<std::unique_ptr<Core>> m_cores; //!< Replicas
};

} // namespace ns3

#endif // CORE_GROUP_H
