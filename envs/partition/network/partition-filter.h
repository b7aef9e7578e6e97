// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_FILTER_H
#define PARTITION_FILTER_H

#include "replica-tag.h"

#include "ns3/error-model.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

constexpr std::size_t REMEMBERED = 64; // more than the messages on the air at once

/**
 * @brief Cuts a replica off from others: its network device loses their packets, including
 * overheard frames.
 *
 * Passed messages go to another error model, if there is one, such as a model of random losses.
 */
class PartitionFilter : public ErrorModel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<PartitionFilter, ErrorModel>("ns3::PartitionFilter")
                .AddTraceSource("Lose",
                                "A message of a cut-off replica is lost.",
                                MakeTraceSourceAccessor(&PartitionFilter::m_loseTrace),
                                "ns3::PartitionFilter::LoseTracedCallback");
        return tid;
    }

    /**
     * @param replica Number of the cut-off replica.
     * @param next Checks passed packets; null: none.
     * @param sent Loses sent packets at random; null: none.
     */
    void SetReplica(uint32_t replica, Ptr<ErrorModel> next, Ptr<ErrorModel> sent)
    {
        m_replica = replica;
        m_next = next;
        m_sent = sent;
    }

    /**
     * @param lossy Whether sent and received packets are lost at random.
     */
    void SetLossy(bool lossy)
    {
        for (const auto& model : {m_next, m_sent})
        {
            if (model)
            {
                lossy ? model->Enable() : model->Disable();
            }
        }
    }

    /**
     * @param replicas Numbers of the only replicas whose messages are lost from now on.
     */
    void Cut(const std::vector<uint32_t>& replicas)
    {
        m_cut = {replicas.begin(), replicas.end()};
    }

    /**
     * TracedCallback signature of Lose. A repeated message is reported once.
     * @param [in] from number of the sending replica
     * @param [in] packet the message, with its headers at the device
     */
    typedef void (*LoseTracedCallback)(uint32_t from, Ptr<const Packet> packet);

  protected:
    void DoDispose() override
    {
        m_next = nullptr;
        m_sent = nullptr;
        ErrorModel::DoDispose();
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        ReplicaTag tag;
        if (packet->PeekPacketTag(tag) && m_cut.contains(tag.GetFrom()))
        {
            if (IsNews(tag))
            {
                m_loseTrace(tag.GetFrom(), packet);
            }
            return true;
        }
        return m_next && m_next->IsCorrupt(packet);
    }

    void DoReset() override
    {
        m_cut.clear();
    }

    /**
     * @param tag Tag of a lost message.
     * @return whether the message is for the replica, and not among the last lost messages
     */
    bool IsNews(const ReplicaTag& tag)
    {
        const auto message = std::pair(tag.GetFrom(), tag.GetNumber());
        if (tag.GetTo() != m_replica ||
            std::find(m_lost.begin(), m_lost.end(), message) != m_lost.end())
        {
            return false;
        }
        m_lost.push_back(message);
        if (m_lost.size() > REMEMBERED)
        {
            m_lost.pop_front();
        }
        return true;
    }

    uint32_t m_replica{0};                                   //!< Number of the replica
    std::set<uint32_t> m_cut;                                //!< Cut-off replicas
    std::deque<std::pair<uint32_t, uint64_t>> m_lost;        //!< Lost messages: sender and number
    Ptr<ErrorModel> m_next;                                  //!< Checks the passed packets
    Ptr<ErrorModel> m_sent;                                  //!< Loses sent packets
    TracedCallback<uint32_t, Ptr<const Packet>> m_loseTrace; //!< A message is lost
};

NS_OBJECT_ENSURE_REGISTERED(PartitionFilter);

} // namespace ns3

#endif // PARTITION_FILTER_H
