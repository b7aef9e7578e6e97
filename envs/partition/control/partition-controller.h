// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_CONTROLLER_H
#define PARTITION_CONTROLLER_H

#include "replica-messages.h"
#include "replica-protocol.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The replicas as a tester handles them: what may be done to them, and what is known of
 * them.
 *
 * Calls take effect with the next Tick(), or Reset(): then each replica's node gets one command,
 * and when each has reported, the states are those after it. Until then nothing else may be called.
 */
class PartitionController
{
  public:
    /// Takes the number of a replica and what is commanded there.
    using Sender = std::function<void(uint32_t, const ReplicaCommand&)>;

    /**
     * @param protocol Protocol of the replicas, which lives as long as this.
     * @param replicas How many.
     * @param requests How many a client has.
     * @param send Sends commands.
     */
    PartitionController(const ReplicaProtocol& protocol,
                        uint32_t replicas,
                        uint32_t requests,
                        Sender send);

    void Reset(); //!< Begin an episode: all replicas run, with empty disks
    void Tick();  //!< Let the clock of each replica pass one unit

    /**
     * Hand messages to the replicas that they are for.
     *
     * @param messages Pending ones.
     */
    void DeliverMessages(const std::vector<PendingMessage>& messages);

    /**
     * Lose messages.
     *
     * @param messages Pending ones.
     */
    void DropMessages(const std::vector<PendingMessage>& messages);

    /**
     * Have a replica lose all that arrives from others, until it is called again.
     *
     * @param replica Its number.
     * @param others Numbers of the others.
     */
    void Cut(uint32_t replica, const std::vector<uint32_t>& others);

    void ReceiveRequest();        //!< Hand the next request to the replicas that take it
    void ReceiveNewRequest();     //!< Hand over a request beyond those that clients had
    void Heal();                  //!< Have all replicas run, and all links be whole, for a tick
    void Start(uint32_t replica); //!< @param replica number of one that is to run again
    void Stop(uint32_t replica);  //!< @param replica number of one that is to crash
    /// @param replica number of one that does what its protocol forbids from now on
    void BecomeByzantine(uint32_t replica);

    /**
     * Take a report.
     *
     * @param report Report of a replica.
     * @return whether all have reported now
     */
    bool TakeReport(ReplicaReport report);

    const ReplicaGroup& GetGroup() const; //!< @return all replicas after the last tick
    /// @param replica number of one @return hash of its log, by Digest()
    uint64_t GetLogDigest(uint32_t replica) const;
    uint32_t GetTakenRequest() const;      //!< @return that of the last tick; 0: none was taken
    uint32_t CountPendingRequests() const; //!< @return requests not handed over yet
    bool CanDeliverRequest() const;        //!< @return whether there is one, and a taker
    bool HasTaker() const;                 //!< @return whether a replica takes one
    uint32_t CountDelivered() const;       //!< @return messages seen in the last tick
    uint32_t CountCut() const;             //!< @return messages cut off in the last tick

    /**
     * @return replicas that have crashed by themselves in the last tick: number, a colon, and why
     */
    const std::vector<std::string>& GetFailures() const;

    /**
     * @return what has become of messages in the last tick, by time, if that is recorded
     */
    const std::vector<MessageEvent>& GetMessageEvents() const;

    /**
     * @return messages that replicas have not seen yet, the oldest first
     */
    const std::vector<PendingMessage>& GetPendingMessages() const;

  private:
    void SendCommands(); //!< Have done what was called for
    void Gather();       //!< Make one picture of all reports

    /**
     * Learn the state of a replica.
     *
     * @param index Number of the replica, from 0 on.
     */
    void GatherState(std::size_t index);

    const ReplicaProtocol& m_protocol;      //!< Of the replicas
    uint32_t m_requests;                    //!< That a client has in all
    Sender m_send;                          //!< Sends commands
    uint64_t m_tick{0};                     //!< Number of the last tick
    uint32_t m_awaited{0};                  //!< Reports that have not come
    std::vector<ReplicaCommand> m_commands; //!< The orders, by replica
    std::vector<ReplicaReport> m_reports;   //!< Of the last tick, by replica
    std::vector<uint32_t> m_asked; //!< The replicas that were handed a request with the last tick
    uint32_t m_taken{0};           //!< Request that was taken in the last tick, or 0
    bool m_isNew{false};           //!< The request of this tick is beyond the others
    ReplicaGroup m_group;          //!< All replicas
    /// By replica and index of an entry: hash of the log up to it
    std::vector<std::vector<uint64_t>> m_digests;
    std::vector<PendingMessage> m_pending;     //!< Of all replicas
    std::vector<MessageEvent> m_messageEvents; //!< Of all replicas, in the last tick
    std::vector<std::string> m_failures;       //!< Of all replicas, in the last tick
};

} // namespace ns3

#endif // PARTITION_CONTROLLER_H
