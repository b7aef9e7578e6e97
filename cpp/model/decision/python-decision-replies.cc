// SPDX-License-Identifier: GPL-2.0-only

// The receiving side of PythonDecisionSource: replies to requests, and their content.

#include "communication-codec.h"
#include "opengym-codec.h"
#include "python-decision-source.h"
#include "snapshot.h"
#include "transfer-codec.h"

#include <sstream>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using wire::Failure;

/**
 * @param command Python's command, without actions.
 * @return the decision; throw BridgeFault when the command is unknown
 */
DecisionCommand
DecodeCommand(wire::Command command)
{
    switch (command)
    {
    case wire::COMMAND_TRUNCATE:
        return DecisionCommand::TRUNCATE;
    case wire::COMMAND_STOP:
        return DecisionCommand::STOP;
    default:
        throw BridgeFault("Python's reply holds command " + std::to_string(command) +
                              ", which is unknown",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
}

} // namespace

const wire::StepReply&
PythonDecisionSource::ReceiveReply()
{
    auto& message = MakeMessage<wire::PythonMessage>();
    m_link->Receive(message);
    if (message.has_failure())
    {
        throw BridgeFault("Python reports " + Failure::Code_Name(message.failure().code()) + ": " +
                          message.failure().message());
    }
    if (!message.has_step_reply())
    {
        throw BridgeFault("Python sent a message without content", Failure::CODE_MALFORMED_MESSAGE);
    }
    const auto& reply = message.step_reply();
    if (reply.sequence() != m_sequence)
    {
        throw BridgeFault("Python answered request " + std::to_string(reply.sequence()) +
                              ", but request " + std::to_string(m_sequence) + " was asked",
                          Failure::CODE_WRONG_SEQUENCE);
    }
    return reply;
}

void
PythonDecisionSource::Serve(const wire::StepReply& request, const DecisionRound& round)
{
    const std::string address = request.snapshot_address();
    const auto command = request.command();
    auto& message = MakeMessage<wire::SimulationMessage>();
    if (command == wire::COMMAND_SNAPSHOT)
    {
        *message.mutable_resumed() = TakeSnapshot(address, m_options, m_link);
    }
    else
    {
        EncodeCommunication(round.communication.IsNull() ? CommunicationReport{}
                                                         : round.communication(round.time),
                            round.time,
                            *message.mutable_communication_report());
    }
    m_link->Send(message);
}

Decision
PythonDecisionSource::ReadReply(const DecisionRound& round)
{
    const auto* received = &ReceiveReply();
    while (received->command() == wire::COMMAND_SNAPSHOT ||
           received->command() == wire::COMMAND_REPORT)
    {
        Serve(*received, round);
        received = &ReceiveReply();
    }
    const auto& reply = *received;
    const bool plays = reply.command() == wire::COMMAND_PLAY;
    const bool steps = reply.command() == wire::COMMAND_STEP;
    if (!plays && reply.has_fragment())
    {
        throw BridgeFault("Python's reply contains a fragment, which its command does not use",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    if (!steps && (reply.actions_size() > 0 || reply.transfers_size() > 0))
    {
        throw BridgeFault(
            "Python's reply contains actions or transfers, which its command does not use",
            Failure::CODE_MALFORMED_MESSAGE);
    }
    if (plays)
    {
        m_fragments.Begin(reply.fragment());
        return {DecisionCommand::STEP, m_fragments.Decide(round, m_agents), {}};
    }
    if (steps)
    {
        return {DecisionCommand::STEP, DecodeActions(reply), DecodeTransfers(reply.transfers())};
    }
    return {DecodeCommand(reply.command()), {}, {}};
}

std::vector<Ptr<OpenGymDataContainer>>
PythonDecisionSource::DecodeActions(const wire::StepReply& reply) const
{
    if (static_cast<std::size_t>(reply.actions_size()) != m_runs.size())
    {
        throw BridgeFault("Python's reply holds " + std::to_string(reply.actions_size()) +
                              " stacks of actions instead of " + std::to_string(m_runs.size()),
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    std::vector<Ptr<OpenGymDataContainer>> actions;
    for (std::size_t i = 0; i < m_runs.size(); ++i)
    {
        const auto& run = m_runs[i];
        const auto decoded = DecodeStack(reply.actions(static_cast<int>(i)), run.size());
        if (decoded.empty())
        {
            throw BridgeFault("Python's actions for agent '" + run.front().record->agent +
                                  "' and those after it are not a well-formed stack of " +
                                  std::to_string(run.size()),
                              Failure::CODE_MALFORMED_MESSAGE);
        }
        for (std::size_t row = 0; row < run.size(); ++row)
        {
            CheckAction(*run[row].record, decoded[row]);
        }
        actions.insert(actions.end(), decoded.begin(), decoded.end());
    }
    return actions;
}

void
PythonDecisionSource::CheckAction(const AgentRecord& agent, Ptr<OpenGymDataContainer> action) const
{
    const auto& space = m_agents[*agent.index].actionSpace;
    const bool checkBounds = m_options.checkBounds != BoundsCheck::NEVER;
    if (const auto fault = space->FindFault(PeekPointer(action), checkBounds); !fault.empty())
    {
        std::ostringstream text;
        text << "Python's action for agent '" << agent.agent << "' is " << action
             << ", which is not of its action space " << space << ": " << fault;
        throw BridgeFault(text.str(), Failure::CODE_INVALID_ACTION);
    }
}

} // namespace ns3
