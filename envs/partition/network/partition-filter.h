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
 * @brief Cuts a replica off from others: its network device loses what they send it, and frames of
 * theirs that it overhears.
 *
 * The messages that it lets pass go to another error model, if there is one, such as one that
 * loses packets at random.
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
     * @param replica Number of the replica that it cuts off.
     * @param next Gets what passes; null: nobody.
     * @param sent Loses by chance what the replica sends; null: nothing does.
     */
    void SetReplica(uint32_t replica, Ptr<ErrorModel> next, Ptr<ErrorModel> sent);

    /**
     * @param lossy Whether packets that the replica sends and receives are lost by chance.
     */
    void SetLossy(bool lossy);

    /**
     * @param replicas Numbers of those whose messages are lost from now on, and no others.
     */
    void Cut(const std::vector<uint32_t>& replicas);

    /**
     * TracedCallback signature of Lose. A message that is sent again after that is reported once.
     * @param [in] from number of the replica that sent it
     * @param [in] packet the message, with the headers that it has there
     */
    typedef void (*LoseTracedCallback)(uint32_t from, Ptr<const Packet> packet);

  protected:
    void DoDispose() override;

  private:
    bool DoCorrupt(Ptr<Packet> packet) override;
    void DoReset() override;

    /**
     * @param tag Tag of a message that is lost.
     * @return whether it is for the replica, and none of the last ones that were lost
     */
    bool IsNews(const ReplicaTag& tag);

    uint32_t m_replica{0};                                   //!< Number of the replica
    std::set<uint32_t> m_cut;                                //!< Whose messages are lost
    std::deque<std::pair<uint32_t, uint64_t>> m_lost;        //!< Sender and number of the last ones
    Ptr<ErrorModel> m_next;                                  //!< Gets what passes
    Ptr<ErrorModel> m_sent;                                  //!< Loses what the replica sends
    TracedCallback<uint32_t, Ptr<const Packet>> m_loseTrace; //!< A message is lost
};

} // namespace ns3

#endif // PARTITION_FILTER_H
