// SPDX-License-Identifier: GPL-2.0-only

#include "partition-controller.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Move elements to the end of others.
 *
 * @tparam T Type of the elements.
 * @param from Elements to move.
 * @param to Vector to extend.
 */
template <typename T>
void
Move(std::vector<T>& from, std::vector<T>& to)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

PartitionController::PartitionController(const ReplicaProtocol& protocol,
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

void
PartitionController::Reset()
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

void
PartitionController::DeliverMessages(const std::vector<PendingMessage>& messages)
{
    for (const auto& message : messages)
    {
        m_commands.at(message.to - 1).released.push_back(message.number);
        m_pending.erase(message);
    }
}

void
PartitionController::DropMessages(const std::vector<PendingMessage>& messages)
{
    for (const auto& message : messages)
    {
        m_commands.at(message.to - 1).dropped.push_back(message.number);
        m_pending.erase(message);
    }
}

void
PartitionController::Cut(uint32_t replica, const std::vector<uint32_t>& others)
{
    m_commands.at(replica - 1).cuts = true;
    m_commands.at(replica - 1).cut = others;
}

void
PartitionController::ReceiveRequest()
{
    NS_ABORT_MSG_UNLESS(CanDeliverRequest(), "No replica takes a request now");
    m_group.requests++;
    m_takers = m_protocol.FindTakers(m_group.states);
    for (const auto id : m_takers)
    {
        m_commands[id - 1].request = m_group.requests;
    }
}

void
PartitionController::ReceiveNewRequest()
{
    m_requests++;
    m_isNew = true;
    ReceiveRequest();
}

void
PartitionController::Heal()
{
    for (auto& command : m_commands)
    {
        const bool lies = command.power == ReplicaCommand::BYZANTINE;
        command.power = lies ? ReplicaCommand::BYZANTINE : ReplicaCommand::HEAL;
    }
}

void
PartitionController::Start(uint32_t replica)
{
    m_commands.at(replica - 1).power = ReplicaCommand::START;
}

void
PartitionController::Stop(uint32_t replica, uint64_t draw)
{
    m_commands.at(replica - 1).power = ReplicaCommand::STOP;
    m_commands.at(replica - 1).crashDraw = draw;
}

void
PartitionController::BecomeByzantine(uint32_t replica)
{
    m_commands.at(replica - 1).power = ReplicaCommand::BYZANTINE;
}

bool
PartitionController::TakeReport(ReplicaReport report)
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

void
PartitionController::Gather()
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

void
PartitionController::GatherState(std::size_t index)
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

void
PartitionController::GatherPending(std::size_t index)
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

uint64_t
PartitionController::GetLogDigest(uint32_t replica) const
{
    const auto& digests = m_digests.at(replica - 1);
    return digests.empty() ? 0 : digests.back();
}

bool
PartitionController::HasTaker() const
{
    return !m_protocol.FindTakers(m_group.states).empty();
}

uint32_t
PartitionController::CountDelivered() const
{
    uint32_t count = 0;
    for (const auto& report : m_reports)
    {
        count += report.delivered;
    }
    return count;
}

uint32_t
PartitionController::CountCut() const
{
    uint32_t count = 0;
    for (const auto& report : m_reports)
    {
        count += report.cut;
    }
    return count;
}

void
PartitionController::SendCommands()
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

} // namespace ns3
