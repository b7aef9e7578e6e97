// SPDX-License-Identifier: GPL-2.0-only

#include "deployment-help.h"

#include <algorithm>
#include <map>
#include <sstream>

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

} // namespace

DeploymentHelp::DeploymentHelp(const DeploymentOptions& options)
    : delay(options.delayHelp.empty() ? DescribeDelay(options) : options.delayHelp),
      dataRate(options.dataRateHelp),
      loss(options.lossHelp),
      distance("Distance from a " + options.device + " to the access point or base station in m."),
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

} // namespace ns3
