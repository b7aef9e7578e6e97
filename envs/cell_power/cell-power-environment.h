// SPDX-License-Identifier: GPL-2.0-only

#ifndef CELL_POWER_ENVIRONMENT_H
#define CELL_POWER_ENVIRONMENT_H

#include "environment.h"
#include "lte-cells.h"
#include "lte-meter.h"
#include "neighbour-links.h"
#include "power-agent-app.h"
#include "power-rewards.h"

#include "ns3/opengym-info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief LTE cells on one carrier, whose transmit power agents choose.
 */
class CellPowerEnvironment : public Environment
{
  public:
    CellPowerEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    NodeContainer MakeAgentNodes(uint32_t agents) override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;
    void NotifyDeployed(const RlApplicationContainer& agents) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    void DeclareCells(RlSimulation& simulation);   //!< Declare cells, users @param simulation run
    void DeclareRewards(RlSimulation& simulation); //!< Declare prices @param simulation run
    void DeclareLinks(RlSimulation& simulation);   //!< Declare agents' links @param simulation run

    /**
     * @return a fault of messages between agents, or an empty string
     */
    std::string FindLinkFault() const;

    /**
     * @param cell Number of a cell.
     * @return the observation application of the cell's agent
     */
    Ptr<ObservationApplication> MakeObservation(uint32_t cell);

    /**
     * @return pairs of neighbouring cells
     */
    std::vector<NeighbourLinks::Pair> FindNeighbours() const;

    /**
     * @param cell Number of a cell; none: all.
     * @return the infos
     */
    OpenGymInfo Report(std::optional<uint32_t> cell) const;

    uint32_t m_cellCount{3};                    //!< Number of cells
    uint32_t m_usersPerCell{2};                 //!< Number of users of each cell
    Time m_interval{MilliSeconds(50)};          //!< Interval between two decisions
    LteParameters m_lte;                        //!< The properties of the cells
    PowerChoice m_choice;                       //!< Choice of powers
    PowerRewardParameters m_worth;              //!< The prices
    bool m_messages{false};                     //!< Agents of neighbouring cells talk
    LinkParameters m_links;                     //!< Links between agents
    NodeContainer m_agentNodes;                 //!< Nodes of agents that are not at their cells
    std::optional<NeighbourLinks> m_neighbours; //!< Connections between agents
    std::optional<LteCells> m_cells;            //!< The network
    std::optional<LteMeter> m_meter;            //!< The measurements
    std::optional<PowerRewards> m_rewards;      //!< The rewards
};

} // namespace ns3

#endif // CELL_POWER_ENVIRONMENT_H
