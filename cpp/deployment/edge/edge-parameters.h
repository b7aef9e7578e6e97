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
    void Declare(RlSimulation& simulation, const std::string& device);

    /**
     * @param handovers Number of handovers.
     * @return the number of the devices' edge node: they drive back and forth
     */
    uint32_t GetEdgeAfter(uint64_t handovers) const;

    /**
     * @return the destination edge node by time, or nothing if `schedule` is malformed
     */
    std::optional<std::map<Time, uint32_t>> ParseSchedule() const;

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

  private:
    /**
     * Declare the times and costs of agents' moves.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void DeclareMoves(RlSimulation& simulation, const std::string& device);
};

} // namespace ns3

#endif // EDGE_PARAMETERS_H
