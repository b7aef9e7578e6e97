// SPDX-License-Identifier: GPL-2.0-only

#ifndef BRIDGE_OPTIONS_H
#define BRIDGE_OPTIONS_H

#include "ns3/bounds-check.h"
#include "ns3/nstime.h"
#include "ns3/rl-parameter.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The files that a simulation writes about its episode, and their folder.
 */
struct RecordOptions
{
    std::string folder;              //!< An existing folder; empty: nothing is written
    Time interval{MilliSeconds(10)}; //!< Simulated time between samples of links and positions
    bool pcap{false};                //!< Whether packets of all devices on links are captured

    /**
     * Read the DEFIANCE_RECORD_* environment variables; end the process on an invalid one.
     *
     * @return these options, the rest by default
     */
    static RecordOptions FromEnvironment();

    /**
     * @return a fault of the options, or an empty string
     */
    std::string FindFault() const;
};

/**
 * @brief The source of decisions in this simulation, and the simulation's reports.
 */
struct BridgeOptions
{
    std::string endpoint;                   //!< Python's endpoint; empty: a built-in policy decides
    std::string token;                      //!< Names the episode; given by Python
    std::string rounds{"sequential"};       //!< "sequential" or "simultaneous"
    std::string curveServerKey;             //!< Python's public key; empty: no encryption
    std::optional<int> lifeline;            //!< Read end of a pipe whose write end Python holds
    double connectTimeout{60};              //!< Seconds until an unanswered connection is given up
    std::optional<double> spinMicroseconds; //!< Time of busy waiting; see SpinLimit
    std::string policy{"random"};           //!< Without an endpoint: "random", "constant", or files
    std::optional<BoundsCheck> checkBounds; //!< Checks of observations; none: the attribute
    double action{0};                       //!< The actions of the constant policy
    std::string scenario;                   //!< Name of the scenario
    RecordOptions record;                   //!< The files about the episode
    std::vector<std::pair<RlParameterSpec, std::string>> parameters; //!< Parameters with values

    /**
     * Read the DEFIANCE_* environment variables; end the process on an invalid one.
     *
     * @return these options, the rest by default
     */
    static BridgeOptions FromEnvironment();

    /**
     * @return a fault of the options, or an empty string
     */
    std::string FindFault() const;

    /**
     * @return whether the policy is one file for all agents, or a list such as
     * "agent_0=one.onnx,agent_*=other.onnx"
     */
    bool HasPolicyFiles() const
    {
        return policy.ends_with(".onnx");
    }

    /**
     * @return the options from RlSimulation::Parse(), if this program has called it
     */
    static std::optional<BridgeOptions>& Declared();

    /**
     * @return warnings about this simulation that are not sent to Python yet
     */
    static std::vector<std::string>& Warnings();
};

/**
 * Write a message to standard error.
 *
 * @param message The message.
 */
void ReportError(const std::string& message);

/**
 * End the process at once, without destructors: the simulation is in an inconsistent state.
 *
 * @param status Exit status.
 */
[[noreturn]] void EndProcess(int status);

/**
 * @return a function that EndProcess() calls first, such as the completion of a language runtime's
 * files; it may be empty
 */
std::function<void()>& GetEndHook();

/**
 * @param name Name of an environment variable.
 * @return the value; empty when the variable is not set
 */
std::string GetVariable(const char* name);

/**
 * Report an invalid environment variable, and end the process.
 *
 * @param name Name of the variable.
 * @param expected The expected value.
 */
[[noreturn]] void RefuseVariable(const char* name, const std::string& expected);

/**
 * Read a value; end the process when the variable is invalid.
 *
 * @tparam T bool, a number, or Time.
 * @param name Name of an environment variable.
 * @param expected The expected value.
 * @return the value, or nothing when the variable is not set
 */
template <typename T>
std::optional<T>
ReadVariable(const char* name, const std::string& expected)
{
    const auto text = GetVariable(name);
    T value{};
    if (text.empty())
    {
        return std::nullopt;
    }
    if (!ParseText(text, value))
    {
        RefuseVariable(name, expected);
    }
    return value;
}

} // namespace ns3

#endif /* BRIDGE_OPTIONS_H */
