// SPDX-License-Identifier: GPL-2.0-only

#include "remote-decision-source.h"

#include "built-in-decision-source.h"
#include "opengym-codec.h"
#include "snapshot.h"

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
 * Write the ends of agents.
 *
 * @param ended The ends.
 * @param messages Empty list to write to.
 */
void
EncodeEnds(const std::vector<AgentEndRecord>& ended,
           google::protobuf::RepeatedPtrField<wire::AgentEnd>& messages)
{
    for (const auto& end : ended)
    {
        auto& message = *messages.Add();
        message.set_agent(*end.record->index);
        if (end.observation)
        {
            EncodeContainer(*end.observation, *message.mutable_observation());
        }
        message.set_reward(end.reward);
        message.set_terminated(end.terminated);
        message.set_truncated(!end.terminated);
        EncodeInfo(end.info, *message.mutable_info());
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

std::unique_ptr<DecisionSource>
MakeDecisionSource(const BridgeOptions& options)
{
    if (options.endpoint.empty())
    {
        return std::make_unique<BuiltInDecisionSource>(options);
    }
    return std::make_unique<RemoteDecisionSource>(options);
}

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
        m_agents.push_back(agent);
    }
}

void
RemoteDecisionSource::Begin(const std::vector<AgentIntroduction>& agents)
{
    Guard([&] {
        m_link->Connect();
        auto& hello = *m_message.mutable_hello();
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
        m_link->Send(m_message);
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
        m_message.Clear();
        auto& end = *m_message.mutable_episode_end();
        end.set_sim_time_ns(round.time.GetNanoSeconds());
        EncodeAgents(round.joined, *end.mutable_joined());
        EncodeEnds(round.ended, *end.mutable_ended());
        m_link->Send(m_message);
        m_link->Close();
    });
}

void
RemoteDecisionSource::SendRequest(const DecisionRound& round)
{
    m_message.Clear();
    auto& request = *m_message.mutable_step_request();
    request.set_sequence(++m_sequence);
    request.set_sim_time_ns(round.time.GetNanoSeconds());
    EncodeAgents(round.joined, *request.mutable_joined());
    EncodeEnds(round.ended, *request.mutable_ended());
    for (const auto& step : round.steps)
    {
        auto& message = *request.add_steps();
        message.set_agent(*step.record->index);
        EncodeContainer(*step.observation, *message.mutable_observation());
        message.set_reward(step.reward);
        EncodeInfo(step.info, *message.mutable_info());
    }
    m_link->Send(m_message);
}

const wire::StepReply&
RemoteDecisionSource::ReceiveReply()
{
    m_link->Receive(m_reply);
    if (m_reply.has_failure())
    {
        throw BridgeFault("Python reports " + Failure::Code_Name(m_reply.failure().code()) + ": " +
                          m_reply.failure().message());
    }
    if (!m_reply.has_step_reply())
    {
        throw BridgeFault("Python sent a message without content", Failure::CODE_MALFORMED_MESSAGE);
    }
    const auto& reply = m_reply.step_reply();
    if (reply.sequence() != m_sequence)
    {
        throw BridgeFault("Python answered request " + std::to_string(reply.sequence()) +
                              ", but request " + std::to_string(m_sequence) + " was asked",
                          Failure::CODE_WRONG_SEQUENCE);
    }
    return reply;
}

Decision
RemoteDecisionSource::ReadReply(const DecisionRound& round)
{
    while (ReceiveReply().command() == wire::COMMAND_SNAPSHOT)
    {
        m_message.Clear();
        const auto& address = m_reply.step_reply().snapshot_address();
        *m_message.mutable_resumed() = TakeSnapshot(address, m_options, m_link);
        m_link->Send(m_message);
    }
    const auto& reply = m_reply.step_reply();
    Decision decision{DecodeCommand(reply.command()), {}};
    if (decision.command == DecisionCommand::STEP)
    {
        decision.actions = DecodeActions(round, reply);
    }
    else if (reply.actions_size() > 0)
    {
        throw BridgeFault("Python's reply holds actions beside a command that takes none",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    return decision;
}

std::vector<Ptr<OpenGymDataContainer>>
RemoteDecisionSource::DecodeActions(const DecisionRound& round, const wire::StepReply& reply) const
{
    std::vector<Ptr<OpenGymDataContainer>> actions(round.steps.size());
    for (const auto& message : reply.actions())
    {
        auto& action = actions[FindStep(round, message.agent())];
        if (action)
        {
            throw BridgeFault("Python's reply holds two actions for agent '" +
                                  m_agents[message.agent()].record->agent + "'",
                              Failure::CODE_MALFORMED_MESSAGE);
        }
        action = DecodeAction(message);
    }
    for (std::size_t i = 0; i < actions.size(); ++i)
    {
        if (!actions[i])
        {
            throw BridgeFault("Python's reply holds no action for agent '" +
                                  round.steps[i].record->agent + "'",
                              Failure::CODE_MALFORMED_MESSAGE);
        }
    }
    return actions;
}

std::size_t
RemoteDecisionSource::FindStep(const DecisionRound& round, uint32_t agent) const
{
    if (agent >= m_agents.size())
    {
        throw BridgeFault("Python's reply names agent " + std::to_string(agent) + ", but only " +
                              std::to_string(m_agents.size()) + " have been introduced",
                          Failure::CODE_UNKNOWN_AGENT);
    }
    for (std::size_t i = 0; i < round.steps.size(); ++i)
    {
        if (*round.steps[i].record->index == agent)
        {
            return i;
        }
    }
    throw BridgeFault("Python's reply holds an action for agent '" + m_agents[agent].record->agent +
                          "', which did not ask",
                      Failure::CODE_MALFORMED_MESSAGE);
}

Ptr<OpenGymDataContainer>
RemoteDecisionSource::DecodeAction(const wire::AgentAction& message) const
{
    const auto& agent = m_agents[message.agent()];
    const auto action = DecodeContainer(message.action());
    if (!action)
    {
        throw BridgeFault("Python's action for agent '" + agent.record->agent +
                              "' is no well-formed container",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    if (!agent.actionSpace->Contains(action))
    {
        std::ostringstream text;
        text << "Python's action for agent '" << agent.record->agent << "' is " << action
             << ", which is not of its action space " << agent.actionSpace;
        throw BridgeFault(text.str(), Failure::CODE_INVALID_ACTION);
    }
    return action;
}

} // namespace ns3
