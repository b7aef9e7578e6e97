// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_CONTROLLER_H
#define PARTITION_CONTROLLER_H

#include "replica-messages.h"
#include "replica-protocol.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A tester's access to the replicas: actions on them, and their known state.
 *
 * Calls take effect with the next Tick(), or Reset(): then each replica's node receives one
 * command. When all have reported, the states are those after the tick. Until then, make no other
 * call.
 */
class PartitionController
{
  public:
    /// Takes the number of a replica and its command.
    using Sender = std::function<void(uint32_t, const ReplicaCommand&)>;

    /**
     * @param protocol Protocol of the replicas, which lives as long as this object.
     * @param replicas Number of replicas.
     * @param requests Number of a client's requests.
     * @param send Sends commands.
     */
    PartitionController(const ReplicaProtocol& protocol,
                        uint32_t replicas,
                        uint32_t requests,
                        Sender send);

    void Reset(); //!< Begin an episode: all replicas run, with empty disks

    /// Advance the clock of each replica by one unit
    void Tick()
    {
        SendCommands();
    }

    /**
     * Deliver messages to their replicas.
     *
     * @param messages Pending messages.
     */
    void DeliverMessages(const std::vector<PendingMessage>& messages);

    /**
     * Drop messages.
     *
     * @param messages Pending messages.
     */
    void DropMessages(const std::vector<PendingMessage>& messages);

    /**
     * Cut a replica off from others, until the next call.
     *
     * @param replica Number of the replica.
     * @param others Numbers of the others.
     */
    void Cut(uint32_t replica, const std::vector<uint32_t>& others);

    void ReceiveRequest();        //!< Send the next request to the replicas that take it
    void ReceiveNewRequest();     //!< Send a request beyond the clients' own
    void Heal();                  //!< Let all replicas run on whole links, for one tick
    void Start(uint32_t replica); //!< @param replica number of the replica to start
    /**
     * Crash a replica.
     *
     * @param replica Number of the replica.
     * @param draw See ReplicaCommand::crashDraw.
     */
    void Stop(uint32_t replica, uint64_t draw = 0);
    /// @param replica number of the replica that becomes Byzantine
    void BecomeByzantine(uint32_t replica);

    /**
     * Process a report.
     *
     * @param report Report of a replica.
     * @return whether all replicas have reported
     */
    bool TakeReport(ReplicaReport report);

    /// @return all replicas after the last tick
    const ReplicaGroup& GetGroup() const
    {
        return m_group;
    }

    /// @param replica number of a replica @return hash of its log, by Digest()
    uint64_t GetLogDigest(uint32_t replica) const;

    /// @return request taken in the last tick; 0: none
    uint32_t GetTakenRequest() const
    {
        return m_taken;
    }

    /// @return number of requests not sent yet
    uint32_t CountPendingRequests() const
    {
        return m_requests - m_group.requests;
    }

    /// @return whether a request and a taker exist
    bool CanDeliverRequest() const
    {
        return CountPendingRequests() > 0 && HasTaker();
    }

    bool HasTaker() const;           //!< @return whether a replica takes requests
    uint32_t CountDelivered() const; //!< @return messages delivered in the last tick
    uint32_t CountCut() const;       //!< @return messages cut off in the last tick

    /**
     * @return replicas that crashed by themselves in the last tick: number, a colon, and the reason
     */
    const std::vector<std::string>& GetFailures() const
    {
        return m_failures;
    }

    /**
     * @return fates of messages in the last tick, by time, if recorded
     */
    const std::vector<MessageEvent>& GetMessageEvents() const
    {
        return m_messageEvents;
    }

    /**
     * @return messages that are not delivered yet, oldest first
     */
    const std::set<PendingMessage>& GetPendingMessages() const
    {
        return m_pending;
    }

    /// @param replica number of a replica @return number of the last message that arrived for it
    uint64_t GetLastArrival(uint32_t replica) const
    {
        return m_lastArrivals.at(replica - 1);
    }

  private:
    void SendCommands(); //!< Send the commands of this tick
    void Gather();       //!< Merge all reports

    /**
     * Process the reported state of a replica.
     *
     * @param index Number of the replica, from 0.
     */
    void GatherState(std::size_t index);

    /**
     * Add the messages that a replica reports; a crash has lost all that were held before.
     *
     * @param index Number of the replica, from 0.
     */
    void GatherPending(std::size_t index);

    const ReplicaProtocol& m_protocol;      //!< Protocol of the replicas
    uint32_t m_requests;                    //!< Number of a client's requests
    Sender m_send;                          //!< Sends commands
    uint64_t m_tick{0};                     //!< Number of the last tick
    uint32_t m_awaited{0};                  //!< Number of missing reports
    std::vector<ReplicaCommand> m_commands; //!< The orders, by replica
    std::vector<ReplicaReport> m_reports;   //!< Reports of the last tick, by replica
    std::vector<uint32_t> m_takers;         //!< Replicas that received a request with the last tick
    uint32_t m_taken{0};                    //!< Request taken in the last tick, or 0
    bool m_isNew{false};                    //!< Whether this tick's request is an additional one
    ReplicaGroup m_group;                   //!< All replicas
    /// By replica and index of an entry: hash of the log up to the entry
    std::vector<std::vector<uint64_t>> m_digests;
    std::set<PendingMessage> m_pending;        //!< Held messages of all replicas
    std::vector<uint64_t> m_lastArrivals;      //!< By replica: number of its last message
    std::vector<MessageEvent> m_messageEvents; //!< Message events of the last tick
    std::vector<std::string> m_failures;       //!< Crashes of the last tick
};

} // namespace ns3

#endif // PARTITION_CONTROLLER_H
