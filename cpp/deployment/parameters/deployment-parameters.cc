// SPDX-License-Identifier: GPL-2.0-only

#include "deployment-parameters.h"

#include "deployment-options.h"

#include "ns3/rl-application-id.h"
#include "ns3/rl-simulation.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace ns3
{

namespace
{

/// The meaning of each choice, by its name.
using Meanings = std::map<std::string, std::string>;

/**
 * @param offered Choices.
 * @param meanings The meaning of each choice; choices without one have no text.
 * @return the meanings of the choices, each once
 */
std::vector<std::string>
Select(const std::vector<std::string>& offered, const Meanings& meanings)
{
    std::vector<std::string> texts;
    for (const auto& choice : offered)
    {
        const auto found = meanings.find(choice);
        if (found != meanings.end() &&
            std::find(texts.begin(), texts.end(), found->second) == texts.end())
        {
            texts.push_back(found->second);
        }
    }
    return texts;
}

/**
 * @param texts Parts of a sentence.
 * @param separator Separator of all parts but the last two.
 * @return the parts as alternatives
 */
std::string
JoinAlternatives(const std::vector<std::string>& texts, const std::string& separator)
{
    std::string joined;
    for (std::size_t i = 0; i < texts.size(); i++)
    {
        const bool last = i + 1 == texts.size();
        joined += (i == 0 ? "" : last ? ", or " : separator) + texts[i];
    }
    return joined;
}

/**
 * @param options The choices of the environment.
 * @return the meaning of `delay`
 */
std::string
DescribeDelay(const DeploymentOptions& options)
{
    const std::string radio = "between agent and access point or core network";
    const auto texts = Select(options.accesses,
                              {{"point-to-point", "of the link of a " + options.device},
                               {"csma", "along the bus"},
                               {"wifi", radio},
                               {"lte", radio},
                               {"in-band", "between agent and gateway"}});
    return std::string("One-way delay") + (texts.size() > 1 ? ": " : " ") +
           JoinAlternatives(texts, ", or ") + ".";
}

/**
 * @param interval Time between two samples; zero: not known in advance.
 * @return the meaning of `duration`
 */
std::string
DescribeDuration(Time interval)
{
    std::ostringstream text;
    text << "Simulated time of an episode";
    if (!interval.IsZero())
    {
        text << "; a step takes " << interval.GetSeconds() * 1000 << " ms";
    }
    text << ".";
    return text.str();
}

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

/**
 * @brief Help texts of a deployment's parameters, in the terms of an environment and its choices.
 */
struct DeploymentHelp
{
    /**
     * @param options The choices of the environment.
     */
    explicit DeploymentHelp(const DeploymentOptions& options)
        : delay(options.delayHelp.empty() ? DescribeDelay(options) : options.delayHelp),
          dataRate(options.dataRateHelp),
          loss(options.lossHelp),
          distance("Distance from a " + options.device +
                   " to the access point or base station in m."),
          duration(DescribeDuration(options.interval))
    {
        const auto& transports = options.transports;
        const bool simple =
            std::find(transports.begin(), transports.end(), "simple") != transports.end();
        placement =
            "Where agents sit: " +
            JoinAlternatives(Select(options.placements,
                                    {{"local", "on the " + options.device + "'s node"},
                                     {"remote", "each on a separate node behind an access link"},
                                     {"central", "one for all " + options.device + "s"}}),
                             ", ") +
            ".";
        transport = std::string("Transport of observations and actions") +
                    (simple ? ": nothing simulated, or sockets." : ".");
        access = "Access link that carries the packets: " +
                 JoinAlternatives(
                     Select(options.accesses,
                            {{"point-to-point", "a point-to-point link for each " + options.device},
                             {"csma", "one CSMA bus"},
                             {"wifi", "Wi-Fi"},
                             {"lte", "LTE"},
                             {"in-band", "the simulated network itself"}}),
                     ", ") +
                 ".";
        if (dataRate.empty())
        {
            dataRate = std::string("Data rate of the link that has the delay") +
                       (simple ? ", for udp and tcp." : ".");
        }
        if (loss.empty())
        {
            loss = "Probability that a packet is lost on the link that has the delay.";
        }
    }

    std::string placement; //!< Help of `placement`
    std::string transport; //!< Help of `transport`
    std::string access;    //!< Help of `access`
    std::string delay;     //!< Help of `delay`
    std::string dataRate;  //!< Help of `data_rate`
    std::string loss;      //!< Help of `loss`
    std::string distance;  //!< Help of `distance`
    std::string duration;  //!< Help of `duration`
};

void
DeploymentParameters::Declare(RlSimulation& simulation)
{
    const DeploymentHelp help(m_options);
    DeclareChoices(simulation, help);
    DeclareLink(simulation, help);
    const auto least = m_options.interval.IsZero() ? NanoSeconds(1) : m_options.interval;
    simulation.AddValue("duration", help.duration, duration, least, Hours(24));
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
DeploymentParameters::DeclareChoices(RlSimulation& simulation, const DeploymentHelp& help)
{
    DeclareChoice(simulation, "placement", help.placement, placement, m_options.placements);
    DeclareChoice(simulation, "transport", help.transport, transport, m_options.transports);
    DeclareChoice(simulation, "access", help.access, access, m_options.accesses);
    m_defaultAccess = access;
}

void
DeploymentParameters::DeclareLink(RlSimulation& simulation, const DeploymentHelp& help)
{
    m_defaultLink = link;
    simulation.AddValue("delay", help.delay, link.delay, Time(0), Seconds(10));
    simulation.AddValue("action_delay",
                        "Time that an agent takes to decide.",
                        actionDelay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("data_rate",
                        help.dataRate,
                        link.dataRate,
                        DataRate("1kbps"),
                        DataRate("100Gbps"));
    const auto& accesses = m_options.accesses;
    if (std::any_of(accesses.begin(), accesses.end(), IsRadio))
    {
        simulation.AddValue("distance", help.distance, distance, 1.0, 10000.0);
    }
    simulation.AddValue("loss", help.loss, link.loss, 0.0, 1.0);
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
