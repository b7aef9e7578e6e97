// SPDX-License-Identifier: GPL-2.0-only

#ifndef CORE_REPLICA_H
#define CORE_REPLICA_H

#include "replica-application.h"

#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief A replica around a core: a protocol without a network and without a clock.
 *
 * @tparam Core The core, with Tick() and Receive(), and a constructor with its parameters, its
 * disk, the sender of its messages and the observer of its acts.
 * @tparam Parameters The core's parameters, with `id`, `replicas` and `bug`.
 * @tparam Storage The core's disk, a StableStorage.
 * @tparam Header The carrier of the core's messages, a MessageHeader.
 */
template <typename Core, typename Parameters, typename Storage, typename Header>
class CoreReplica : public ReplicaApplication
{
  public:
    /**
     * @param parameters Parameters; the number and the number of replicas are overwritten.
     */
    void SetParameters(const Parameters& parameters)
    {
        m_parameters = parameters;
    }

    std::string Describe(Ptr<const Packet> packet) const override
    {
        Header header;
        packet->PeekHeader(header);
        std::ostringstream text;
        header.Print(text);
        return text.str();
    }

  protected:
    /**
     * Begin from the stored state.
     *
     * @param storage Disk of the replica.
     * @param tell Called with each act.
     */
    template <typename Witness>
    void Begin(Ptr<StableStorage> storage, Witness tell)
    {
        m_parameters.id = GetId();
        m_parameters.replicas = GetGroupSize();
        m_disk = DynamicCast<Storage>(storage);
        const auto send = [this](const typename Header::Message& message) {
            auto packet = Create<Packet>();
            packet->AddHeader(Header(message));
            Send(message.to, packet);
        };
        m_core.emplace(m_parameters, m_disk, send, std::move(tell));
    }

    virtual void AnswerWaiting() = 0; //!< Answer waiting clients of finished requests

    void Forget() override
    {
        m_core.reset();
        m_disk = nullptr;
    }

    void OnTick() override
    {
        m_core->Tick();
        AnswerWaiting();
    }

    void OnMessage(uint32_t from, Ptr<const Packet> packet) override
    {
        Header header;
        packet->PeekHeader(header);
        if (header.IsValid() && header.GetMessage().from == from)
        {
            m_core->Receive(header.GetMessage());
            AnswerWaiting();
        }
    }

    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<Storage>();
    }

    Ptr<Storage> m_disk;        //!< Disk, while the process runs
    std::optional<Core> m_core; //!< Core, while the process runs
    Parameters m_parameters;    //!< Parameters of the replica
};

} // namespace ns3

#endif // CORE_REPLICA_H
