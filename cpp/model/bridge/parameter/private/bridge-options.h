// SPDX-License-Identifier: GPL-2.0-only

#ifndef BRIDGE_OPTIONS_H
#define BRIDGE_OPTIONS_H

#include "record-options.h"

#include "ns3/bounds-check.h"
#include "ns3/rl-parameter.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
    bool HasPolicyFiles() const;

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

} // namespace ns3

#endif /* BRIDGE_OPTIONS_H */
