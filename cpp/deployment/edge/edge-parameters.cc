// SPDX-License-Identifier: GPL-2.0-only

#include "edge-parameters.h"

#include "ns3/rl-parameter.h"
#include "ns3/rl-simulation.h"

#include <limits>
#include <sstream>

namespace ns3
{

void
EdgeParameters::Declare(RlSimulation& simulation, const std::string& device)
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

void
EdgeParameters::DeclareMoves(RlSimulation& simulation, const std::string& device)
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
                        "Bytes sent by TCP from the old edge node to the new one before an agent "
                        "moves; 0: it moves at once.",
                        stateBytes,
                        0U,
                        std::numeric_limits<uint32_t>::max());
    simulation.AddChoice("state_transfer",
                         "Behaviour of an agent while its state is under way: continue at the old "
                         "edge node, or pause.",
                         stateTransfer,
                         {"live", "stop-and-copy"});
}

uint32_t
EdgeParameters::GetEdgeAfter(uint64_t handovers) const
{
    if (edges == 1)
    {
        return 0;
    }
    const auto last = edges - 1;
    const auto way = static_cast<uint32_t>(handovers % (2 * last));
    return way <= last ? way : 2 * last - way;
}

std::optional<std::map<Time, uint32_t>>
EdgeParameters::ParseSchedule() const
{
    std::map<Time, uint32_t> moves;
    std::istringstream parts(schedule);
    for (std::string part; std::getline(parts, part, ';');)
    {
        const auto colon = part.find(':');
        Time time;
        uint32_t edge = 0;
        if (colon == std::string::npos || !ParseText(part.substr(0, colon), time) ||
            !ParseText(part.substr(colon + 1), edge) || time.IsStrictlyNegative() || edge >= edges)
        {
            return std::nullopt;
        }
        moves[time] = edge;
    }
    return moves;
}

std::string
EdgeParameters::FindContradiction() const
{
    if (schedule.empty() != (migration != "schedule"))
    {
        return "schedule and migration=schedule need each other";
    }
    if (!ParseSchedule())
    {
        return "schedule=" + schedule + " is not time:edge;time:edge;... with edges from 0 to " +
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

} // namespace ns3
