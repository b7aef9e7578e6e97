// SPDX-License-Identifier: GPL-2.0-only

#include "rl-simulation.h"

#include "bridge-options.h"
#include "episode-recording.h"
#include "fork-server.h"
#include "lifeline.h"
#include "open-gym-multi-agent-rounds.h"
#include "opengym-codec.h"
#include "progress-report.h"
#include "step-link.h"

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

namespace ns3
{

namespace
{

/** An argument of every scenario. */
struct ControlArgument
{
    const char* name; //!< Name on the command line
    const char* help; //!< Meaning of the parameter
};

/** The arguments of every scenario. */
constexpr std::array<ControlArgument, 6> CONTROL_ARGUMENTS{{
    {"endpoint", "ZeroMQ endpoint at which Python listens; empty: a built-in policy decides"},
    {"token", "Name of this episode, given by Python"},
    {"rounds",
     "sequential: each agent decides by itself; simultaneous: all agents of one instant decide "
     "together"},
    {"policy", "Without an endpoint: random, constant, or an ONNX file; or <agent>=<file>,..."},
    {"action", "The value of each number of an action under the constant policy"},
    {"describe", "Write a defiance.v1.ScenarioDescription to standard output and exit"},
}};

/**
 * @param given Arguments of the command line, which take precedence over the environment.
 * @param options Options to update.
 * @return a fault of the arguments, or an empty string
 */
std::string
ApplyControlArguments(const std::map<std::string, std::string>& given, BridgeOptions& options)
{
    const std::array<std::pair<const char*, std::string*>, 4> texts{
        {{"endpoint", &options.endpoint},
         {"token", &options.token},
         {"rounds", &options.rounds},
         {"policy", &options.policy}}};
    for (const auto& [name, option] : texts)
    {
        if (const auto found = given.find(name); found != given.end())
        {
            *option = found->second;
        }
    }
    const auto action = given.find("action");
    if (action != given.end() && !ParseText(action->second, options.action))
    {
        return "action is '" + action->second + "', but must be a number";
    }
    return options.FindFault();
}

/**
 * @param arguments Arguments of the command line, after the program's name.
 * @return a fault of the first argument that is not of the form --name=value; else empty
 */
std::string
FindStrayArgument(const std::vector<std::string>& arguments)
{
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const auto &before = arguments[i - 1], &stray = arguments[i];
        if (stray.starts_with("-"))
        {
            continue;
        }
        if (i > 1 && before.starts_with("--") && before.find('=') == std::string::npos)
        {
            return "'" + before + " " + stray + "' must be " + before + "=" + stray;
        }
        const bool names = stray.find('=') != std::string::npos;
        return "'" + stray + "' is not an argument: write " +
               (names ? "--" + stray : "--name=value");
    }
    return "";
}

/**
 * @param name Name of a parameter.
 * @return whether the name is in lower_snake_case
 */
bool
IsSnakeCase(const std::string& name)
{
    return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/**
 * Report a failure before the episode has begun, on standard error and to Python.
 *
 * @param code The kind of failure.
 * @param message The description of the failure.
 */
void
ReportUnasked(defiance::v1::Failure::Code code, const std::string& message)
{
    ReportError(message);
    const auto options = BridgeOptions::Declared().value_or(BridgeOptions::FromEnvironment());
    if (options.endpoint.empty())
    {
        return;
    }
    try
    {
        const auto link = StepLink::Create(options);
        link->Connect();
        link->SendFailure(code, message);
    }
    catch (const BridgeFault& fault)
    {
        ReportError(fault.what());
    }
}

} // namespace

RlSimulation::RlSimulation(std::string name)
    : m_name(std::move(name))
{
}

RlSimulation::~RlSimulation()
{
    BridgeOptions::Declared().reset();
}

void
RlSimulation::Add(std::unique_ptr<RlParameter> parameter)
{
    const auto& name = parameter->GetSpec().name;
    const auto taken = [&name](const auto& other) { return other->GetSpec().name == name; };
    const auto reserved = [&name](const auto& argument) { return argument.name == name; };
    NS_ABORT_MSG_IF(m_parsed, "Parameter '" << name << "' is declared after Parse()");
    NS_ABORT_MSG_IF(!IsSnakeCase(name), "Parameter '" << name << "' is not in lower_snake_case");
    NS_ABORT_MSG_IF(std::any_of(m_parameters.begin(), m_parameters.end(), taken),
                    "Parameter '" << name
                                  << "' is declared twice; if the shared deployment declares it, "
                                     "choose another name");
    NS_ABORT_MSG_IF(std::any_of(CONTROL_ARGUMENTS.begin(), CONTROL_ARGUMENTS.end(), reserved),
                    "Parameter '" << name
                                  << "' has the name of an argument that every scenario takes");
    m_parameters.push_back(std::move(parameter));
}

void
RlSimulation::AddChoice(const std::string& name,
                        const std::string& help,
                        std::string& value,
                        std::vector<std::string> choices)
{
    const RlAllowed<std::string> allowed{{}, std::move(choices)};
    Add(std::make_unique<RlVariable<std::string>>(name, help, value, allowed));
}

void
RlSimulation::AddChoicePerAgent(const std::string& name,
                                const std::string& help,
                                PerAgent<std::string>& value,
                                std::vector<std::string> choices)
{
    const RlAllowed<std::string> allowed{{}, std::move(choices)};
    Add(std::make_unique<RlPerAgentVariable<std::string>>(name, help, value, allowed));
}

std::map<std::string, std::string>
RlSimulation::ReadArguments(const std::vector<std::string>& arguments) const
{
    std::map<std::string, std::string> given;
    CommandLine command;
    command.Usage("Scenario " + m_name + " of defiance-zoo");
    const auto add = [&](const std::string& name, const char* help, const std::string& usual) {
        const auto note = [&given, name](const std::string& value) {
            given[name] = value;
            return true;
        };
        command.AddValue(name, help, Callback<bool, const std::string&>(note), usual);
    };
    for (const auto& parameter : m_parameters)
    {
        const auto& spec = parameter->GetSpec();
        add(spec.name, spec.help.c_str(), spec.defaultValue);
    }
    for (const auto& [name, help] : CONTROL_ARGUMENTS)
    {
        add(name, help, "");
    }
    command.Parse(arguments);
    return given;
}

void
RlSimulation::AddWarmUp(std::function<void()> build)
{
    NS_ABORT_MSG_IF(m_parsed, "RlSimulation::AddWarmUp() is called after Parse()");
    m_warmUps.push_back(std::move(build));
}

void
RlSimulation::Parse(std::vector<std::string> arguments)
{
    NS_ABORT_MSG_IF(m_parsed, "RlSimulation::Parse() is called twice");
    m_parsed = true;
    if (const auto forked = ForkServer::ServeIfAsked(m_warmUps))
    {
        arguments.resize(1);
        arguments.insert(arguments.end(), forked->begin(), forked->end());
    }
    const auto given = ReadArguments(arguments);
    if (given.contains("describe"))
    {
        Describe();
    }
    auto options = BridgeOptions::FromEnvironment();
    options.scenario = m_name;
    auto fault = FindStrayArgument(arguments);
    fault = fault.empty() ? ApplyControlArguments(given, options) : fault;
    BridgeOptions::Declared() = options;
    if (options.lifeline)
    {
        ArmLifeline(*options.lifeline);
    }
    if (!fault.empty())
    {
        Refuse(fault);
    }
    for (const auto& warning : std::exchange(BridgeOptions::Warnings(), {}))
    {
        Warn(warning); // of the program, before it knew whether Python listens
    }
    SetParameters(given);
    DeclareParameters();
}

void
RlSimulation::SetParameters(const std::map<std::string, std::string>& given)
{
    for (const auto& parameter : m_parameters)
    {
        const auto& spec = parameter->GetSpec();
        const auto found = given.find(spec.name);
        if (found != given.end() && !parameter->Set(found->second))
        {
            Refuse("parameter '" + spec.name + "' is '" + found->second + "', but must be " +
                   spec.DescribeAllowed());
        }
        const bool isTime = spec.type == RlParameterType::TIME;
        if (found != given.end() && (isTime || spec.type == RlParameterType::DATA_RATE))
        {
            WarnOfMissingUnit(spec.name + "=", found->second, isTime);
        }
    }
}

void
RlSimulation::DeclareParameters() const
{
    auto& declared = BridgeOptions::Declared()->parameters;
    declared.clear();
    for (const auto& parameter : m_parameters)
    {
        declared.emplace_back(parameter->GetSpec(), parameter->GetValue());
    }
}

void
RlSimulation::Refuse(const std::string& message)
{
    ReportUnasked(defiance::v1::Failure::CODE_INVALID_PARAMETER, message);
    EndProcess(2);
}

void
RlSimulation::Fail(const std::string& message)
{
    NoteEvent("failed", message);
    if (auto* recording = EpisodeRecording::Find())
    {
        recording->End();
    }
    const auto& rounds = OpenGymMultiAgentInterface::Get()->m_rounds;
    if (auto* source = rounds->GetSource())
    {
        source->Fail(defiance::v1::Failure::CODE_SCENARIO, message);
    }
    if (rounds->IsOver())
    {
        ReportError(message); // Python does not listen any more
    }
    else
    {
        ReportUnasked(defiance::v1::Failure::CODE_SCENARIO, message);
    }
    EndProcess(1);
}

void
RlSimulation::RequireProgress(const std::function<std::string()>& locate)
{
    if (StandsStill())
    {
        Fail("\n" + locate() + DescribeStandstill());
    }
}

void
RlSimulation::FailWithoutHosts(const std::string& message)
{
    ReportUnasked(defiance::v1::Failure::CODE_HOSTS_UNAVAILABLE, message);
    EndProcess(1);
}

void
RlSimulation::Warn(const std::string& message)
{
    const auto& options = BridgeOptions::Declared();
    if (options && options->endpoint.empty())
    {
        ReportError("warning: " + message);
    }
    else
    {
        BridgeOptions::Warnings().push_back(message);
    }
}

void
RlSimulation::ReportDeadWiring()
{
    const auto& rounds = OpenGymMultiAgentInterface::Get()->m_rounds;
    if (rounds->IsOver())
    {
        return; // Python has ended the episode early
    }
    std::vector<std::string> faults;
    std::vector<std::string> silences; // need not be mistakes
    bool isAnyAlive = false;
    for (const auto* record : rounds->GetRoster().GetIntroducedAgents())
    {
        const auto fault = record->findWiringFault.IsNull() ? "" : record->findWiringFault();
        isAnyAlive |= record->decisions > 0 || fault.empty();
        if (!fault.empty())
        {
            faults.push_back(fault);
        }
        else if (record->decisions == 0 && !record->findSilence.IsNull())
        {
            silences.push_back(record->findSilence());
        }
    }
    if (!isAnyAlive && !faults.empty())
    {
        Fail(faults.front());
    }
    std::erase(silences, "");
    faults.insert(faults.end(), silences.begin(), silences.end());
    for (const auto& fault : faults)
    {
        Warn(fault);
    }
}

bool
RlSimulation::IsRecorded()
{
    return EpisodeRecording::Find() != nullptr;
}

void
RlSimulation::NoteEvent(const std::string& kind, const std::string& text, const std::string& agent)
{
    if (auto* recording = EpisodeRecording::Find())
    {
        recording->NoteEvent(Simulator::Now(), kind, agent, text);
    }
}

void
RlSimulation::Describe() const
{
    defiance::v1::ScenarioDescription description;
    description.set_protocol(PROTOCOL_VERSION);
    description.set_scenario(m_name);
    description.set_ns3_version(DEFIANCE_NS3_VERSION);
    for (const auto& parameter : m_parameters)
    {
        const auto& spec = parameter->GetSpec();
        EncodeParameter(spec, spec.defaultValue, *description.add_parameters());
    }
    description.set_forks(true);
    const auto bytes = description.SerializeAsString();
    const auto written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    EndProcess(written == bytes.size() && std::fflush(stdout) == 0 ? 0 : 1);
}

int
RlSimulation::Run(Time duration)
{
    NS_ABORT_MSG_IF(!m_parsed, "RlSimulation::Run() needs Parse() before it");
    NS_ABORT_MSG_IF(duration.IsStrictlyNegative(), "A simulation cannot last " << duration);
    DeclareParameters();
    const auto interface = OpenGymMultiAgentInterface::Get();
    interface->m_rounds->Begin();
    if (duration != Time::Max())
    {
        interface->m_rounds->EndAt(duration);
    }
    const bool alone = BridgeOptions::Declared()->endpoint.empty();
    std::optional<StandstillWatch> watch;
    if (alone)
    {
        watch.emplace();
    }
    Simulator::Run();
    watch.reset();
    ReportDeadWiring();
    interface->NotifySimulationEnd();
    if (alone)
    {
        PrintSummary();
    }
    Simulator::Destroy();
    return 0;
}

void
RlSimulation::PrintSummary() const
{
    const auto& rounds = OpenGymMultiAgentInterface::Get()->m_rounds;
    for (const auto* record : rounds->GetRoster().GetIntroducedAgents())
    {
        const bool terminated = record->phase == AgentRecord::Phase::TERMINATED;
        std::cout << record->agent << ": " << record->decisions << " decisions, return "
                  << FormatText(record->totalReward) << ", "
                  << (terminated ? "terminated" : "truncated") << std::endl;
    }
}

void
WarnOfMissingUnit(const std::string& before,
                  const std::string& text,
                  bool isTime,
                  const std::string& after)
{
    static std::set<std::string> warned;
    double number = 0;
    if (!ParseText(text, number) || number == 0 || !warned.insert(before + text + after).second)
    {
        return;
    }
    const auto* const units = isTime ? " s: write " : " bit/s: write ";
    const auto usual = text + (isTime ? "s or " : "bps or ") + text + (isTime ? "ms" : "Mbps");
    // Python recognises the first two words.
    RlSimulation::Warn("missing unit: " + before + text + " was read as " + text + units + usual +
                       after);
}

} // namespace ns3
