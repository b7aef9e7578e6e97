// SPDX-License-Identifier: GPL-2.0-only

#ifndef PARTITION_CONTROLLER_H
#define PARTITION_CONTROLLER_H

#include "replica-messages.h"
#include "replica-protocol.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
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
                        Sender send)
        : m_protocol(protocol),
          m_requests(requests),
          m_send(std::move(send)),
          m_commands(replicas),
          m_reports(replicas),
          m_digests(replicas),
          m_lastArrivals(replicas)
    {
        m_group.states.resize(replicas);
        m_group.kept.resize(replicas);
    }

    /// Begin an episode: all replicas run, with empty disks
    void Reset()
    {
        for (auto& command : m_commands)
        {
            command = {.power = ReplicaCommand::RESET,
                       .cuts = true,
                       .cut = {},
                       .dropped = {},
                       .released = {}};
        }
        m_group.requests = 0;
        m_pending.clear();
        SendCommands();
    }

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
    void DeliverMessages(const std::vector<PendingMessage>& messages)
    {
        for (const auto& message : messages)
        {
            m_commands.at(message.to - 1).released.push_back(message.number);
            m_pending.erase(message);
        }
    }

    /**
     * Drop messages.
     *
     * @param messages Pending messages.
     */
    void DropMessages(const std::vector<PendingMessage>& messages)
    {
        for (const auto& message : messages)
        {
            m_commands.at(message.to - 1).dropped.push_back(message.number);
            m_pending.erase(message);
        }
    }

    /**
     * Cut a replica off from others, until the next call.
     *
     * @param replica Number of the replica.
     * @param others Numbers of the others.
     */
    void Cut(uint32_t replica, const std::vector<uint32_t>& others)
    {
        m_commands.at(replica - 1).cuts = true;
        m_commands.at(replica - 1).cut = others;
    }

    /// Send the next request to the replicas that take it
    void ReceiveRequest()
    {
        NS_ABORT_MSG_UNLESS(CanDeliverRequest(), "No replica takes a request now");
        m_group.requests++;
        m_takers = m_protocol.FindTakers(m_group.states);
        for (const auto id : m_takers)
        {
            m_commands[id - 1].request = m_group.requests;
        }
    }

    /// Send a request beyond the clients' own
    void ReceiveNewRequest()
    {
        m_requests++;
        m_isNew = true;
        ReceiveRequest();
    }

    /// Let all replicas run on whole links, for one tick
    void Heal()
    {
        for (auto& command : m_commands)
        {
            const bool lies = command.power == ReplicaCommand::BYZANTINE;
            command.power = lies ? ReplicaCommand::BYZANTINE : ReplicaCommand::HEAL;
        }
    }

    /// @param replica number of the replica to start
    void Start(uint32_t replica)
    {
        m_commands.at(replica - 1).power = ReplicaCommand::START;
    }

    /**
     * Crash a replica.
     *
     * @param replica Number of the replica.
     * @param draw See ReplicaCommand::detail.
     */
    void Stop(uint32_t replica, uint64_t draw = 0)
    {
        m_commands.at(replica - 1).power = ReplicaCommand::STOP;
        m_commands.at(replica - 1).detail = static_cast<int64_t>(draw);
    }

    /**
     * Set the clock of a replica.
     *
     * @param replica Number of the replica.
     * @param error Error of the clock in ns.
     */
    void SetClock(uint32_t replica, int64_t error)
    {
        m_commands.at(replica - 1).power = ReplicaCommand::CLOCK;
        m_commands.at(replica - 1).detail = error;
    }

    /// @param replica number of the replica that becomes Byzantine
    void BecomeByzantine(uint32_t replica)
    {
        m_commands.at(replica - 1).power = ReplicaCommand::BYZANTINE;
    }

    /**
     * Process a report.
     *
     * @param report Report of a replica.
     * @return whether all replicas have reported
     */
    bool TakeReport(ReplicaReport report)
    {
        NS_ABORT_MSG_UNLESS(report.tick == m_tick && m_awaited > 0,
                            "Replica " << report.replica << " reports tick " << report.tick
                                       << ", where " << m_tick << " is awaited");
        const auto replica = report.replica;
        m_reports.at(replica - 1) = std::move(report);
        if (--m_awaited > 0)
        {
            return false;
        }
        Gather();
        return true;
    }

    /// @return all replicas after the last tick
    const ReplicaGroup& GetGroup() const
    {
        return m_group;
    }

    /// @param replica number of a replica @return hash of its log, by Digest()
    uint64_t GetLogDigest(uint32_t replica) const
    {
        const auto& digests = m_digests.at(replica - 1);
        return digests.empty() ? 0 : digests.back();
    }

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

    /// @return whether a replica takes requests
    bool HasTaker() const
    {
        return !m_protocol.FindTakers(m_group.states).empty();
    }

    /// @return messages delivered in the last tick
    uint32_t CountDelivered() const
    {
        uint32_t count = 0;
        for (const auto& report : m_reports)
        {
            count += report.delivered;
        }
        return count;
    }

    /// @return messages cut off in the last tick
    uint32_t CountCut() const
    {
        uint32_t count = 0;
        for (const auto& report : m_reports)
        {
            count += report.cut;
        }
        return count;
    }

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
    /**
     * Move elements to the end of others.
     *
     * @tparam T Type of the elements.
     * @param from Elements to move.
     * @param to Vector to extend.
     */
    template <typename T>
    static void Move(std::vector<T>& from, std::vector<T>& to)
    {
        to.insert(to.end(),
                  std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
    }

    /// Send the commands of this tick
    void SendCommands()
    {
        NS_ABORT_MSG_IF(m_awaited > 0, "Replicas have not reported the last tick yet");
        m_tick++;
        m_awaited = m_commands.size();
        for (uint32_t id = 1; id <= m_group.states.size(); id++)
        {
            auto command = std::exchange(m_commands[id - 1], {});
            command.tick = m_tick;
            m_send(id, command);
        }
    }

    /// Merge all reports
    void Gather()
    {
        m_group.events.clear();
        m_messageEvents.clear();
        m_failures.clear();
        for (std::size_t i = 0; i < m_reports.size(); i++)
        {
            auto& report = m_reports[i];
            GatherPending(i);
            GatherState(i);
            Move(report.events, m_group.events);
            Move(report.messages, m_messageEvents);
            if (!report.failure.empty())
            {
                m_failures.push_back("replica " + std::to_string(i + 1) + ": " + report.failure);
            }
        }
        std::stable_sort(m_messageEvents.begin(),
                         m_messageEvents.end(),
                         [](const auto& one, const auto& other) { return one.time < other.time; });
        const auto refuses = [this](uint32_t id) { return m_reports[id - 1].refused; };
        if (!m_takers.empty() && std::all_of(m_takers.begin(), m_takers.end(), refuses))
        {
            m_group.requests--; // the client keeps the request
            m_requests -= m_isNew;
            m_takers.clear();
        }
        m_isNew = false;
        m_taken = m_takers.empty() ? 0 : m_group.requests;
        m_takers.clear();
    }

    /**
     * Process the reported state of a replica.
     *
     * @param index Number of the replica, from 0.
     */
    void GatherState(std::size_t index)
    {
        auto& report = m_reports[index];
        auto& state = m_group.states[index];
        auto& digests = m_digests[index];
        NS_ABORT_MSG_IF(report.kept > state.log.size(),
                        "Replica " << index + 1 << " has reported " << state.log.size()
                                   << " entries, and keeps " << report.kept);
        auto log = std::move(state.log);
        log.resize(report.kept);
        digests.resize(report.kept);
        for (const auto& entry : report.state.log)
        {
            log.push_back(entry);
            digests.push_back(Digest(digests.empty() ? 0 : digests.back(), entry));
        }
        state = std::move(report.state);
        state.log = std::move(log);
        m_group.kept[index] = report.kept;
    }

    /**
     * Add the messages that a replica reports; a crash has lost all that were held before.
     *
     * @param index Number of the replica, from 0.
     */
    void GatherPending(std::size_t index)
    {
        auto& report = m_reports[index];
        if (m_group.states[index].active && (!report.state.active || !report.failure.empty()))
        {
            std::erase_if(m_pending, [&](const auto& message) { return message.to == index + 1; });
        }
        for (const auto& message : std::exchange(report.pending, {}))
        {
            m_lastArrivals[index] = std::max(m_lastArrivals[index], message.number);
            m_pending.insert(message);
        }
    }

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
