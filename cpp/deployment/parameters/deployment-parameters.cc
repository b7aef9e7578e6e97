// SPDX-License-Identifier: GPL-2.0-only

#include "deployment-parameters.h"

#include "deployment-options.h"

#include "ns3/rl-application-id.h"
#include "ns3/rl-simulation.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace ns3
{

namespace
{

const Time LONGEST_BUS = MilliSeconds(1);   // time that a frame occupies the whole bus
constexpr double WIFI_RANGE = 50;           // in m; signals arrive with -82 dBm at this distance
constexpr uint32_t MOST_WIFI_DEVICES = 100; // all of them associate within a few seconds
constexpr uint32_t MOST_LTE_DEVICES = 300;  // a cell has 320 subframes for sounding

/**
 * @tparam T Types of the parts.
 * @param parts Parts of a text.
 * @return the text
 */
template <typename... T>
std::string
Join(const T&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

/**
 * @param access A kind of access network.
 * @return whether devices have a radio instead of a cable
 */
bool
IsRadio(const std::string& access)
{
    return access == "wifi" || access == "lte";
}

/**
 * Declare a choice with several alternatives.
 *
 * @param simulation The scenario.
 * @param name Name of the parameter.
 * @param help Meaning of the parameter.
 * @param value Variable with the default, which is set later.
 * @param offered The choices.
 */
void
DeclareChoice(RlSimulation& simulation,
              const std::string& name,
              const std::string& help,
              std::string& value,
              const std::vector<std::string>& offered)
{
    if (offered.size() == 1)
    {
        value = offered.front();
    }
    else
    {
        simulation.AddChoice(name, help, value, offered);
    }
}

} // namespace

void
DeploymentParameters::Declare(RlSimulation& simulation)
{
    DeclareChoices(simulation);
    DeclareLink(simulation);
    const auto step = m_options.interval;
    simulation.AddValue(
        "duration",
        Join("Simulated time of an episode",
             step.IsZero() ? "" : Join("; a step takes ", step.GetSeconds() * 1000, " ms"),
             "."),
        duration,
        step.IsZero() ? NanoSeconds(1) : step,
        Hours(24));
    if (m_options.inference)
    {
        inference.Declare(simulation);
    }
    if (m_options.trainingServer)
    {
        trainingServer.Declare(simulation);
    }
}

void
DeploymentParameters::DeclareChoices(RlSimulation& simulation)
{
    DeclareChoice(simulation,
                  "placement",
                  "Where agents sit: on the " + m_options.device +
                      "'s node (local), each on a separate node behind an access link (remote), or "
                      "one for all " +
                      m_options.device + "s (central).",
                  placement,
                  m_options.placements);
    DeclareChoice(simulation,
                  "transport",
                  "Transport of observations and actions; simple: no packets, only delay and loss.",
                  transport,
                  m_options.transports);
    DeclareChoice(simulation,
                  "access",
                  "Access network that carries the packets; in-band: the simulated network itself.",
                  access,
                  m_options.accesses);
    m_defaultAccess = access;
}

void
DeploymentParameters::DeclareLink(RlSimulation& simulation)
{
    m_defaultLink = link;
    link.Declare(simulation,
                 "",
                 "the access link, the bus, or the link behind access point or gateway");
    simulation.AddValue("action_delay",
                        "Time that an agent takes to decide.",
                        actionDelay,
                        Time(0),
                        Seconds(10));
    const auto& accesses = m_options.accesses;
    if (std::any_of(accesses.begin(), accesses.end(), IsRadio))
    {
        simulation.AddValue("distance",
                            "Distance from a " + m_options.device +
                                " to the access point or base station in m.",
                            distance,
                            1.0,
                            10000.0);
    }
}

std::vector<std::string>
DeploymentParameters::GetAgentNames() const
{
    std::vector<std::string> names;
    for (uint32_t agent = 0; agent < GetAgents(); agent++)
    {
        names.push_back(RlApplicationId{ApplicationType::AGENT, agent}.ToString());
    }
    return names;
}

std::string
DeploymentParameters::FindContradiction() const
{
    const bool usual = access == m_defaultAccess;
    const bool local = placement == "local";
    const auto serverFault = trainingServer.FindContradiction(placement);
    if (!serverFault.empty())
    {
        return serverFault;
    }
    if (local && !trainingServer.Exists() &&
        (!usual || link.delay != m_defaultLink.delay || link.loss != m_defaultLink.loss))
    {
        return "placement=local has no access link, so access, delay and loss do not apply";
    }
    if (!local && transport == "simple" && !usual)
    {
        return Join("transport=simple sends no packets, so access=",
                    access,
                    " needs transport=udp or transport=tcp");
    }
    const auto accessFault = IsRadio(access) ? FindRadioFault() : FindCableFault();
    return accessFault.empty() ? inference.FindContradiction(GetAgentNames()) : accessFault;
}

std::string
DeploymentParameters::FindRadioFault() const
{
    const bool wifi = access == "wifi";
    if (wifi && distance > WIFI_RANGE)
    {
        return Join("access=wifi reaches ", WIFI_RANGE, " m, not distance=", distance);
    }
    const auto most = wifi ? MOST_WIFI_DEVICES : MOST_LTE_DEVICES;
    if (devices > most)
    {
        return Join("access=", access, " takes ", most, " ", m_options.device, "s, not ", devices);
    }
    return "";
}

std::string
DeploymentParameters::FindCableFault() const
{
    if (distance != DEFAULT_DISTANCE)
    {
        return Join("access=",
                    access,
                    access == "in-band" ? " is the simulated network" : " is a cable",
                    ": distance is for wifi and lte");
    }
    if (access == "csma" && link.delay > LONGEST_BUS)
    {
        return Join("access=csma supports a bus with a delay of at most 1ms, not ",
                    link.delay.As(Time::MS),
                    "; access=point-to-point supports longer delays");
    }
    return "";
}

} // namespace ns3
