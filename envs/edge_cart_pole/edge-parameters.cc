// SPDX-License-Identifier: GPL-2.0-only

#include "edge-parameters.h"

#include "ns3/rl-parameter.h"

#include <sstream>

namespace ns3
{

EdgeParameters::EdgeParameters()
{
    carts.transport = "udp";
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
        return "schedule goes with migration=schedule, and neither without the other";
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
    return carts.FindContradiction();
}

} // namespace ns3
