// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_PARAMETERS_H
#define EDGE_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The properties of the road, of the edge nodes beside it and of the moves of agents.
 */
struct EdgeParameters
{
    uint32_t edges{5};                 //!< Number of edge nodes
    Time handoverInterval{Seconds(2)}; //!< From one edge node to the next
    Time hopDelay{MilliSeconds(10)};   //!< One-way delay between neighbouring edge nodes
    DataRate backboneRate{"100Mbps"};  //!< Between neighbouring edge nodes
    std::string migration{"follow"};   //!< When agents move: fixed, follow, schedule, action
    std::string schedule;              //!< time:edge;time:edge;..., for migration=schedule
    uint32_t stateBytes{0};            //!< That cross the backbone before an agent moves
    std::string stateTransfer{"live"}; //!< The agent's behaviour meanwhile: live, stop-and-copy

    /**
     * Declare them.
     *
     * @param simulation Where.
     * @param device The name of a device, in the singular.
     */
    void Declare(RlSimulation& simulation, const std::string& device);

    /**
     * @param handovers How many there were.
     * @return the number of the edge node that devices are at: they drive to and fro
     */
    uint32_t GetEdgeAfter(uint64_t handovers) const;

    /**
     * @return the edge node to move to by time, or nothing if `schedule` is not written as it
     * should be
     */
    std::optional<std::map<Time, uint32_t>> ParseSchedule() const;

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

  private:
    /**
     * Declare when agents move, and what that costs.
     *
     * @param simulation Where.
     * @param device The name of a device, in the singular.
     */
    void DeclareMoves(RlSimulation& simulation, const std::string& device);
};

} // namespace ns3

#endif // EDGE_PARAMETERS_H
