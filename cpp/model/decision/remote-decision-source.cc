// SPDX-License-Identifier: GPL-2.0-only

#include "remote-decision-source.h"

#include "communication-codec.h"
#include "opengym-codec.h"
#include "snapshot.h"
#include "transfer-codec.h"

#include "ns3/rng-seed-manager.h"

#include <unistd.h>

#include <sstream>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using wire::Failure;

/**
 * Write the ends of agents, with their time where it is not that of the round.
 *
 * @param round What has happened since the last round.
 * @param messages Empty list to write to.
 */
void
EncodeEnds(const DecisionRound& round, google::protobuf::RepeatedPtrField<wire::AgentEnd>& messages)
{
    for (const auto& end : round.ended)
    {
        auto& message = *messages.Add();
        message.set_agent(*end.record->index);
        if (end.observation)
        {
            EncodeStack({PeekPointer(end.observation)}, *message.mutable_observation());
        }
        message.set_reward(end.reward);
        message.set_terminated(end.terminated);
        message.set_truncated(!end.terminated);
        EncodeInfo(end.info, *message.mutable_info());
        if (end.time != round.time)
        {
            message.set_sim_time_ns(end.time.GetNanoSeconds());
        }
    }
}

/**
 * @param command Python's command.
 * @return what it means; throw BridgeFault when it is unknown
 */
DecisionCommand
DecodeCommand(wire::Command command)
{
    switch (command)
    {
    case wire::COMMAND_STEP:
        return DecisionCommand::STEP;
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

RemoteDecisionSource::RemoteDecisionSource(const BridgeOptions& options)
    : m_options(options),
      m_link(StepLink::Create(options))
{
}

void
RemoteDecisionSource::Guard(const std::function<void()>& action)
{
    try
    {
        action();
        return;
    }
    catch (const BridgeFault& fault)
    {
        Complain(fault.what());
        if (fault.code != Failure::CODE_UNSPECIFIED)
        {
            m_link->SendFailure(fault.code, fault.what());
        }
    }
    m_link->Close();
    EndProcess(1);
}

void
RemoteDecisionSource::EncodeAgents(const std::vector<AgentIntroduction>& agents, AgentSpecs& specs)
{
    for (const auto& agent : agents)
    {
        auto& spec = *specs.Add();
        spec.set_index(*agent.record->index);
        spec.set_agent(agent.record->agent);
        EncodeSpace(*agent.observationSpace, *spec.mutable_observation_space());
        EncodeSpace(*agent.actionSpace, *spec.mutable_action_space());
        const auto spaces =
            spec.observation_space().SerializeAsString() + spec.action_space().SerializeAsString();
        m_kinds.push_back(m_kindOfSpaces.emplace(spaces, m_kindOfSpaces.size()).first->second);
        m_agents.push_back(agent);
    }
}

void
RemoteDecisionSource::Begin(const std::vector<AgentIntroduction>& agents)
{
    Guard([&] {
        m_link->Connect();
        auto& message = MakeMessage<wire::SimulationMessage>();
        auto& hello = *message.mutable_hello();
        hello.set_protocol(PROTOCOL_VERSION);
        hello.set_scenario(m_options.scenario);
        hello.set_ns3_version(DEFIANCE_NS3_VERSION);
        hello.set_pid(getpid());
        hello.set_token(m_options.token);
        hello.set_rng_seed(RngSeedManager::GetSeed());
        hello.set_rng_run(RngSeedManager::GetRun());
        EncodeAgents(agents, *hello.mutable_agents());
        for (const auto& [spec, value] : m_options.parameters)
        {
            EncodeParameter(spec, value, *hello.add_parameters());
        }
        m_link->Send(message);
    });
}

Decision
RemoteDecisionSource::Decide(const DecisionRound& round)
{
    Decision decision;
    Guard([&] {
        SendRequest(round);
        decision = ReadReply(round);
    });
    return decision;
}

void
RemoteDecisionSource::End(const DecisionRound& round)
{
    Guard([&] {
        auto& message = MakeMessage<wire::SimulationMessage>();
        auto& end = *message.mutable_episode_end();
        end.set_sim_time_ns(round.time.GetNanoSeconds());
        EncodeAgents(round.joined, *end.mutable_joined());
        EncodeEnds(round, *end.mutable_ended());
        EncodeTransfers(round.transfers, *end.mutable_transfers());
        if (!round.communication.IsNull())
        {
            EncodeCommunication(round.communication(round.time),
                                round.time,
                                *end.mutable_communication());
        }
        m_link->Send(message);
        m_link->Close();
    });
}

void
RemoteDecisionSource::RefuseObservation(const std::string& fault)
{
    Guard([&] { throw BridgeFault(fault, Failure::CODE_INVALID_OBSERVATION); });
}

void
RemoteDecisionSource::SendRequest(const DecisionRound& round)
{
    auto& message = MakeMessage<wire::SimulationMessage>();
    auto& request = *message.mutable_step_request();
    request.set_sequence(++m_sequence);
    request.set_sim_time_ns(round.time.GetNanoSeconds());
    EncodeAgents(round.joined, *request.mutable_joined());
    EncodeEnds(round, *request.mutable_ended());
    FindRuns(round);
    for (const auto& run : m_runs)
    {
        EncodeSteps(run, *request.add_steps());
    }
    EncodeTransfers(round.transfers, *request.mutable_transfers());
    m_link->Send(message);
}

void
RemoteDecisionSource::FindRuns(const DecisionRound& round)
{
    m_runs.clear();
    for (const auto& step : round.steps)
    {
        const auto joins = [&](const AgentStepRecord& first) {
            return m_kinds[*first.record->index] == m_kinds[*step.record->index] &&
                   CanStack(*first.observation, *step.observation);
        };
        if (!m_runs.empty() && joins(m_runs.back().front()))
        {
            m_runs.back() = {m_runs.back().data(), m_runs.back().size() + 1};
        }
        else
        {
            m_runs.emplace_back(&step, 1);
        }
    }
}

void
RemoteDecisionSource::EncodeSteps(Run run, wire::AgentSteps& message)
{
    std::vector<const OpenGymDataContainer*> observations;
    observations.reserve(run.size());
    for (const auto& step : run)
    {
        message.add_agents(*step.record->index);
        observations.push_back(PeekPointer(step.observation));
        message.add_rewards(step.reward);
        if (!step.info.empty())
        {
            auto& info = *message.add_infos();
            info.set_row(static_cast<uint32_t>(observations.size() - 1));
            EncodeInfo(step.info, *info.mutable_info());
        }
    }
    EncodeStack(observations, *message.mutable_observations());
}

const wire::StepReply&
RemoteDecisionSource::ReceiveReply()
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
RemoteDecisionSource::Serve(const wire::StepReply& request, const DecisionRound& round)
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
RemoteDecisionSource::ReadReply(const DecisionRound& round)
{
    const auto* received = &ReceiveReply();
    while (received->command() == wire::COMMAND_SNAPSHOT ||
           received->command() == wire::COMMAND_REPORT)
    {
        Serve(*received, round);
        received = &ReceiveReply();
    }
    const auto& reply = *received;
    Decision decision{DecodeCommand(reply.command()), {}, {}};
    if (decision.command == DecisionCommand::STEP)
    {
        decision.actions = DecodeActions(reply);
        decision.transfers = DecodeTransfers(reply.transfers());
    }
    else if (reply.actions_size() > 0 || reply.transfers_size() > 0)
    {
        throw BridgeFault("Python's reply holds actions or transfers beside a command that takes "
                          "none",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    return decision;
}

std::vector<Ptr<OpenGymDataContainer>>
RemoteDecisionSource::DecodeActions(const wire::StepReply& reply) const
{
    if (static_cast<std::size_t>(reply.actions_size()) != m_runs.size())
    {
        throw BridgeFault("Python's reply holds " + std::to_string(reply.actions_size()) +
                              " stacks of actions where " + std::to_string(m_runs.size()) +
                              " were due",
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
                                  "' and those after it are no well-formed stack of " +
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
RemoteDecisionSource::CheckAction(const AgentRecord& agent, Ptr<OpenGymDataContainer> action) const
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
