// SPDX-License-Identifier: GPL-2.0-only

#include "python-decision-source.h"

#include "open-files.h"
#include "opengym-codec.h"
#include "report-codec.h"
#include "snapshot.h"

#include "ns3/rng-seed-manager.h"

#include <unistd.h>

#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using wire::Failure;

/**
 * Write the ends of agents, with their time if it differs from the round's.
 *
 * @param round The news since the last round.
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

/** Refuse files that another simulation writes, too. */
void
RequireOwnFiles()
{
    if (const auto path = OpenFiles::Find().Lock(); !path.empty())
    {
        throw BridgeFault(
            "another simulation that is running writes the same file, " + path +
                ": put the number of the simulation (sc.simulation_number() in Python, "
                "DEFIANCE_SIMULATION in the environment) or of the process into its name, or open "
                "it for appending",
            Failure::CODE_SCENARIO);
    }
}

/// @param messages List to extend by warnings that are not sent to Python yet.
void
WriteWarnings(google::protobuf::RepeatedPtrField<std::string>& messages)
{
    for (auto& warning : std::exchange(BridgeOptions::Warnings(), {}))
    {
        *messages.Add() = std::move(warning);
    }
}

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

void
PythonDecisionSource::Guard(const std::function<void()>& action)
{
    try
    {
        action();
        return;
    }
    catch (const BridgeFault& fault)
    {
        ReportError(fault.what());
        if (fault.code != Failure::CODE_UNSPECIFIED)
        {
            m_link->SendFailure(fault.code, fault.what());
        }
    }
    m_link->Close();
    EndProcess(1);
}

void
PythonDecisionSource::EncodeAgents(const std::vector<const AgentRecord*>& agents, AgentSpecs& specs)
{
    for (const auto* agent : agents)
    {
        auto& spec = *specs.Add();
        spec.set_index(*agent->index);
        spec.set_agent(agent->agent);
        EncodeSpace(*agent->observationSpace, *spec.mutable_observation_space());
        EncodeSpace(*agent->actionSpace, *spec.mutable_action_space());
        const auto spaces =
            spec.observation_space().SerializeAsString() + spec.action_space().SerializeAsString();
        m_kinds.push_back(m_kindOfSpaces.emplace(spaces, m_kindOfSpaces.size()).first->second);
    }
}

void
PythonDecisionSource::Begin(const std::vector<const AgentRecord*>& agents)
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
        WriteWarnings(*hello.mutable_warnings());
        m_link->Send(message);
    });
}

Decision
PythonDecisionSource::Decide(const DecisionRound& round)
{
    Decision decision;
    Guard([&] {
        if (m_fragments.Continues(round))
        {
            decision.actions = m_fragments.Decide(round);
            return;
        }
        if (m_sequence == 0)
        {
            RequireOwnFiles();
        }
        SendRequest(round);
        decision = ReadReply(round);
    });
    return decision;
}

void
PythonDecisionSource::End(const DecisionRound& round)
{
    Guard([&] {
        auto& message = MakeMessage<wire::SimulationMessage>();
        auto& end = *message.mutable_episode_end();
        end.set_sim_time_ns(round.time.GetNanoSeconds());
        EncodeAgents(round.joined, *end.mutable_joined());
        EncodeEnds(round, *end.mutable_ended());
        EncodeTransfers(round.transfers, *end.mutable_transfers());
        for (const auto& late : round.late)
        {
            auto& rewards = *end.add_late_rewards();
            rewards.set_agent(*late.record->index);
            rewards.set_count(late.count);
            rewards.set_first_time_ns(late.first.GetNanoSeconds());
        }
        if (m_fragments.HasTrajectory())
        {
            m_fragments.Write(*end.mutable_trajectory());
        }
        if (!round.communication.IsNull())
        {
            EncodeCommunication(round.communication(round.time),
                                round.time,
                                *end.mutable_communication());
        }
        WriteWarnings(*end.mutable_warnings());
        m_link->Send(message);
        m_link->Close();
    });
}

void
PythonDecisionSource::Fail(Failure::Code code, const std::string& fault)
{
    Guard([&] { throw BridgeFault(fault, code); });
    EndProcess(1);
}

void
PythonDecisionSource::SendRequest(const DecisionRound& round)
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
    if (m_fragments.HasTrajectory())
    {
        m_fragments.Write(*request.mutable_trajectory());
    }
    m_link->Send(message);
}

void
PythonDecisionSource::FindRuns(const DecisionRound& round)
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
PythonDecisionSource::EncodeSteps(Run run, wire::AgentSteps& message)
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
        return {DecisionCommand::STEP, m_fragments.Decide(round), {}};
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
    const auto& space = agent.actionSpace;
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
