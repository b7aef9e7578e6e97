// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_CONTROLLER_H
#define PARTITION_CONTROLLER_H

#include "replica-messages.h"
#include "replica-protocol.h"

#include <cstdint>
#include <functional>
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
     * @param protocol Of the replicas, which lives as long as this.
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

    void ReceiveRequest();        //!< Hand the next request to the replica that takes it
    void Start(uint32_t replica); //!< @param replica number of one that is to run again
    void Stop(uint32_t replica);  //!< @param replica number of one that is to crash

    /**
     * Take a report.
     *
     * @param report Of a replica.
     * @return whether all have reported now
     */
    bool TakeReport(const ReplicaReport& report);

    const std::vector<ReplicaState>& GetStates() const; //!< @return of all replicas
    uint32_t CountPendingRequests() const;              //!< @return requests not handed over yet
    bool CanDeliverRequest() const;                     //!< @return whether a replica takes one

    /**
     * @return messages that replicas have not seen yet, the oldest first
     */
    std::vector<PendingMessage> GetPendingMessages() const;

  private:
    void SendCommands(); //!< Have done what was called for

    const ReplicaProtocol& m_protocol;                  //!< Of the replicas
    uint32_t m_requests;                                //!< That a client has in all
    uint32_t m_received{0};                             //!< Of them, handed over
    Sender m_send;                                      //!< Sends commands
    uint64_t m_tick{0};                                 //!< Number of the last tick
    uint32_t m_awaited{0};                              //!< Reports that have not come
    std::vector<ReplicaCommand> m_commands;             //!< What is called for, by replica
    std::vector<ReplicaState> m_states;                 //!< By replica
    std::vector<std::vector<PendingMessage>> m_pending; //!< By replica
};

} // namespace ns3

#endif // PARTITION_CONTROLLER_H
