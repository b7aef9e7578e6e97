// SPDX-License-Identifier: GPL-2.0-only

#include "bridge-options.h"

#include "ns3/fatal-impl.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Read the choice of checked observations; end the process on an invalid value.
 *
 * @return the value, or nothing when the variable is not set
 */
std::optional<BoundsCheck>
GetBoundsCheck()
{
    const auto text = GetVariable("DEFIANCE_CHECK_BOUNDS");
    if (text.empty())
    {
        return std::nullopt;
    }
    const std::map<std::string, BoundsCheck> words{{"auto", BoundsCheck::AUTOMATIC},
                                                   {"always", BoundsCheck::ALWAYS},
                                                   {"never", BoundsCheck::NEVER}};
    const auto found = words.find(text);
    if (found == words.end())
    {
        ReportError("environment variable DEFIANCE_CHECK_BOUNDS is '" + text +
                    "', but must be auto, always or never");
        EndProcess(2);
    }
    return found->second;
}

} // namespace

RecordOptions
RecordOptions::FromEnvironment()
{
    RecordOptions options;
    options.folder = GetVariable("DEFIANCE_RECORD_TO");
    if (options.folder.empty())
    {
        return options;
    }
    options.interval = ReadVariable<Time>("DEFIANCE_RECORD_INTERVAL", "a time such as 10ms")
                           .value_or(options.interval);
    options.pcap = ReadVariable<bool>("DEFIANCE_RECORD_PCAP", "true or false").value_or(false);
    return options;
}

std::string
RecordOptions::FindFault() const
{
    return interval.IsStrictlyPositive() ? ""
                                         : "the time between samples of a recording is " +
                                               FormatText(interval) + ", but must be positive";
}

BridgeOptions
BridgeOptions::FromEnvironment()
{
    BridgeOptions options;
    options.endpoint = GetVariable("DEFIANCE_ENDPOINT");
    options.token = GetVariable("DEFIANCE_TOKEN");
    options.curveServerKey = GetVariable("DEFIANCE_CURVE_SERVER_KEY");
    options.lifeline = ReadVariable<int>("DEFIANCE_LIFELINE", "a number");
    options.connectTimeout = ReadVariable<double>("DEFIANCE_CONNECT_TIMEOUT", "a number")
                                 .value_or(options.connectTimeout);
    options.spinMicroseconds = ReadVariable<double>("DEFIANCE_SPIN_US", "a number");
    options.action = ReadVariable<double>("DEFIANCE_ACTION", "a number").value_or(options.action);
    options.scenario = program_invocation_short_name;
    if (const auto rounds = GetVariable("DEFIANCE_ROUNDS"); !rounds.empty())
    {
        options.rounds = rounds;
    }
    options.checkBounds = GetBoundsCheck();
    if (const auto policy = GetVariable("DEFIANCE_POLICY"); !policy.empty())
    {
        options.policy = policy;
    }
    options.record = RecordOptions::FromEnvironment();
    return options;
}

std::string
BridgeOptions::FindFault() const
{
    if (rounds != "sequential" && rounds != "simultaneous")
    {
        return "rounds is '" + rounds + "', but must be sequential or simultaneous";
    }
    if (policy != "random" && policy != "constant" && !HasPolicyFiles())
    {
        return "policy is '" + policy + "', but must be random, constant, or an ONNX file (*.onnx)";
    }
    if (!(connectTimeout > 0 && connectTimeout <= 86400))
    {
        return "the connection timeout is " + FormatText(connectTimeout) +
               " s, but must be positive and at most a day";
    }
    if (spinMicroseconds && !(*spinMicroseconds >= 0 && *spinMicroseconds <= 1000))
    {
        return "the time to spin is " + FormatText(*spinMicroseconds) +
               " us, but must be from 0 to 1000";
    }
    if (!(action - action == 0))
    {
        return "action is " + FormatText(action) + ", but must be a finite number";
    }
    return record.FindFault();
}

std::optional<BridgeOptions>&
BridgeOptions::Declared()
{
    static std::optional<BridgeOptions> declared;
    return declared;
}

std::vector<std::string>&
BridgeOptions::Warnings()
{
    static std::vector<std::string> warnings;
    return warnings;
}

std::string
GetVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

void
RefuseVariable(const char* name, const std::string& expected)
{
    ReportError(std::string("environment variable ") + name + " is '" + GetVariable(name) +
                "', which is not " + expected);
    EndProcess(2);
}

void
ReportError(const std::string& message)
{
    std::cout.flush();
    std::cerr << "defiance: " << message << std::endl;
}

std::function<void()>&
GetEndHook()
{
    static std::function<void()> hook;
    return hook;
}

void
EndProcess(int status)
{
    // Only once, as code that runs at the end may end the process, too.
    if (const auto end = std::exchange(GetEndHook(), nullptr))
    {
        end();
    }
    FatalImpl::FlushStreams(); // ns-3's open traces
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    // The next simulation may begin, while the kernel cleans up this process.
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    std::_Exit(status);
}

} // namespace ns3
