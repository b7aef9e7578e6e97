// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_FILTER_H
#define PARTITION_FILTER_H

#include "replica-tag.h"

#include "ns3/error-model.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

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
    static TypeId GetTypeId();

    /**
     * @param replica Number of the cut-off replica.
     * @param next Checks passed packets; null: none.
     * @param sent Loses sent packets at random; null: none.
     */
    void SetReplica(uint32_t replica, Ptr<ErrorModel> next, Ptr<ErrorModel> sent);

    /**
     * @param lossy Whether sent and received packets are lost at random.
     */
    void SetLossy(bool lossy);

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
    void DoDispose() override;

  private:
    bool DoCorrupt(Ptr<Packet> packet) override;

    void DoReset() override
    {
        m_cut.clear();
    }

    /**
     * @param tag Tag of a lost message.
     * @return whether the message is for the replica, and not among the last lost messages
     */
    bool IsNews(const ReplicaTag& tag);

    uint32_t m_replica{0};                                   //!< Number of the replica
    std::set<uint32_t> m_cut;                                //!< Cut-off replicas
    std::deque<std::pair<uint32_t, uint64_t>> m_lost;        //!< Lost messages: sender and number
    Ptr<ErrorModel> m_next;                                  //!< Checks the passed packets
    Ptr<ErrorModel> m_sent;                                  //!< Loses sent packets
    TracedCallback<uint32_t, Ptr<const Packet>> m_loseTrace; //!< A message is lost
};

} // namespace ns3

#endif // PARTITION_FILTER_H
