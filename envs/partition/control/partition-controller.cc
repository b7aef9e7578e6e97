// SPDX-License-Identifier: GPL-2.0-only

#include "partition-controller.h"

#include "ns3/abort.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

PartitionController::PartitionController(const ReplicaProtocol& protocol,
                                         uint32_t replicas,
                                         uint32_t requests,
                                         Sender send)
    : m_protocol(protocol),
      m_requests(requests),
      m_send(std::move(send)),
      m_commands(replicas),
      m_states(replicas),
      m_pending(replicas)
{
}

void
PartitionController::Reset()
{
    for (auto& command : m_commands)
    {
        command = {.power = ReplicaCommand::RESET};
    }
    m_received = 0;
    SendCommands();
}

void
PartitionController::Tick()
{
    SendCommands();
}

void
PartitionController::DeliverMessages(const std::vector<PendingMessage>& messages)
{
    for (const auto& message : messages)
    {
        m_commands.at(message.to - 1).released.push_back(message.number);
    }
}

void
PartitionController::DropMessages(const std::vector<PendingMessage>& messages)
{
    for (const auto& message : messages)
    {
        m_commands.at(message.to - 1).dropped.push_back(message.number);
    }
}

void
PartitionController::ReceiveRequest()
{
    NS_ABORT_MSG_UNLESS(CanDeliverRequest(), "No replica takes a request now");
    m_commands[m_protocol.FindTaker(m_states) - 1].request = ++m_received;
}

void
PartitionController::Start(uint32_t replica)
{
    m_commands.at(replica - 1).power = ReplicaCommand::START;
}

void
PartitionController::Stop(uint32_t replica)
{
    m_commands.at(replica - 1).power = ReplicaCommand::STOP;
}

bool
PartitionController::TakeReport(const ReplicaReport& report)
{
    NS_ABORT_MSG_UNLESS(report.tick == m_tick && m_awaited > 0,
                        "Replica " << report.replica << " reports tick " << report.tick
                                   << ", where " << m_tick << " is awaited");
    m_states.at(report.replica - 1) = report.state;
    m_pending.at(report.replica - 1) = report.pending;
    return --m_awaited == 0;
}

const std::vector<ReplicaState>&
PartitionController::GetStates() const
{
    return m_states;
}

uint32_t
PartitionController::CountPendingRequests() const
{
    return m_requests - m_received;
}

bool
PartitionController::CanDeliverRequest() const
{
    return CountPendingRequests() > 0 && m_protocol.FindTaker(m_states) != 0;
}

std::vector<PendingMessage>
PartitionController::GetPendingMessages() const
{
    std::vector<PendingMessage> messages;
    for (const auto& pending : m_pending)
    {
        messages.insert(messages.end(), pending.begin(), pending.end());
    }
    std::sort(messages.begin(), messages.end(), [](const auto& one, const auto& other) {
        return std::tie(one.arrived, one.to, one.number) <
               std::tie(other.arrived, other.to, other.number);
    });
    return messages;
}

void
PartitionController::SendCommands()
{
    NS_ABORT_MSG_IF(m_awaited > 0, "Replicas have not reported the last tick yet");
    m_tick++;
    m_awaited = m_commands.size();
    for (uint32_t id = 1; id <= m_states.size(); id++)
    {
        auto command = std::exchange(m_commands[id - 1], {});
        command.tick = m_tick;
        m_send(id, command);
    }
}

} // namespace ns3
