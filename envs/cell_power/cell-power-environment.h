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

    void DeclareCells(RlSimulation& simulation);   //!< Cells and users @param simulation where
    void DeclareRewards(RlSimulation& simulation); //!< The prices @param simulation where
    void DeclareLinks(RlSimulation& simulation);   //!< Between agents @param simulation where

    /**
     * @return what is wrong with messages between agents, or an empty string
     */
    std::string FindLinkFault() const;

    /**
     * @param cell Number of a cell.
     * @return what tells its agent of it
     */
    Ptr<ObservationApplication> MakeObservation(uint32_t cell);

    /**
     * @return pairs of cells that are next to each other
     */
    std::vector<NeighbourLinks::Pair> FindNeighbours() const;

    /**
     * @param cell Number of a cell; none: all.
     * @return what infos tell
     */
    OpenGymInfo Report(std::optional<uint32_t> cell) const;

    uint32_t m_cellCount{3};                    //!< Number of cells
    uint32_t m_usersPerCell{2};                 //!< Users of each
    Time m_interval{MilliSeconds(50)};          //!< Between two decisions
    LteParameters m_lte;                        //!< The properties of the cells
    PowerChoice m_choice;                       //!< Which powers there are
    PowerRewardParameters m_worth;              //!< The prices
    bool m_messages{false};                     //!< Agents of neighbouring cells talk
    LinkParameters m_links;                     //!< Between them
    NodeContainer m_agentNodes;                 //!< Of agents that are not at their cells
    std::optional<NeighbourLinks> m_neighbours; //!< Between agents
    std::optional<LteCells> m_cells;            //!< The network
    std::optional<LteMeter> m_meter;            //!< The measurements
    std::optional<PowerRewards> m_rewards;      //!< The rewards
};

} // namespace ns3

#endif // CELL_POWER_ENVIRONMENT_H
