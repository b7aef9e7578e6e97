// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_PARAMETERS_H
#define EDGE_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rl-parameter.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * @brief The properties of the road, of the edge nodes beside it and of the moves of agents.
 */
struct EdgeParameters
{
    uint32_t edges{5};                 //!< Number of edge nodes
    Time handoverInterval{Seconds(2)}; //!< Interval between two handovers
    Time hopDelay{MilliSeconds(10)};   //!< One-way delay between neighbouring edge nodes
    DataRate backboneRate{"100Mbps"};  //!< Data rate between neighbouring edge nodes
    std::string migration{"follow"};   //!< Migration of agents: fixed, follow, schedule, action
    std::string schedule;              //!< time:edge;time:edge;..., for migration=schedule
    uint32_t stateBytes{0};            //!< Bytes sent over the backbone before an agent moves
    std::string stateTransfer{"live"}; //!< The agent's behaviour meanwhile: live, stop-and-copy

    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void Declare(RlSimulation& simulation, const std::string& device)
    {
        simulation.AddValue("edges",
                            "Number of edge nodes along the road, in a chain.",
                            edges,
                            1U,
                            50U);
        simulation.AddValue("handover_interval",
                            "Time that " + device + "s take from one edge node to the next.",
                            handoverInterval,
                            MilliSeconds(1),
                            Hours(24));
        simulation.AddValue("hop_delay",
                            "One-way delay between neighbouring edge nodes.",
                            hopDelay,
                            Time(0),
                            Seconds(10));
        simulation.AddValue("backbone_rate",
                            "Data rate between neighbouring edge nodes.",
                            backboneRate,
                            DataRate("1kbps"),
                            DataRate("100Gbps"));
        DeclareMoves(simulation, device);
    }

    /**
     * @param handovers Number of handovers.
     * @return the number of the devices' edge node: they drive back and forth
     */
    uint32_t GetEdgeAfter(uint64_t handovers) const
    {
        if (edges == 1)
        {
            return 0;
        }
        const auto last = edges - 1;
        const auto way = static_cast<uint32_t>(handovers % (2 * last));
        return way <= last ? way : 2 * last - way;
    }

    /**
     * @return the destination edge node by time, or nothing if `schedule` is malformed
     */
    std::optional<std::map<Time, uint32_t>> ParseSchedule() const
    {
        std::map<Time, uint32_t> moves;
        std::istringstream parts(schedule);
        for (std::string part; std::getline(parts, part, ';');)
        {
            const auto colon = part.find(':');
            Time time;
            uint32_t edge = 0;
            if (colon == std::string::npos || !ParseText(part.substr(0, colon), time) ||
                !ParseText(part.substr(colon + 1), edge) || time.IsStrictlyNegative() ||
                edge >= edges)
            {
                return std::nullopt;
            }
            moves[time] = edge;
        }
        return moves;
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        if (schedule.empty() != (migration != "schedule"))
        {
            return "schedule and migration=schedule need each other";
        }
        if (!ParseSchedule())
        {
            return "schedule=" + schedule +
                   " is not time:edge;time:edge;... with edges from 0 to " +
                   std::to_string(edges - 1);
        }
        if (migration == "fixed" && stateBytes > 0)
        {
            return "migration=fixed never moves, so state_bytes does not apply";
        }
        if (stateBytes == 0 && stateTransfer != "live")
        {
            return "state_transfer=" + stateTransfer + " needs state_bytes";
        }
        return "";
    }

  private:
    /**
     * Declare the times and costs of agents' moves.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void DeclareMoves(RlSimulation& simulation, const std::string& device)
    {
        simulation.AddChoice("migration",
                             "When agents move: never, with their " + device +
                                 ", at given times, or when their action says so.",
                             migration,
                             {"fixed", "follow", "schedule", "action"});
        simulation.AddValue("schedule",
                            "Moves of all agents, time:edge;time:edge;..., for migration=schedule.",
                            schedule);
        simulation.AddValue("state_bytes",
                            "Bytes sent by TCP from the old edge node to the new one before an "
                            "agent moves; 0: it moves at once.",
                            stateBytes,
                            0U,
                            std::numeric_limits<uint32_t>::max());
        simulation.AddChoice("state_transfer",
                             "Behaviour of an agent while its state is under way: continue at the "
                             "old edge node, or pause.",
                             stateTransfer,
                             {"live", "stop-and-copy"});
    }
};

} // namespace ns3

#endif // EDGE_PARAMETERS_H
