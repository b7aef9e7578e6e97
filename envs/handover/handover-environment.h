// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_ENVIRONMENT_H
#define HANDOVER_ENVIRONMENT_H

#include "environment.h"
#include "handover-monitor.h"
#include "handover-rewards.h"
#include "lte-cells.h"
#include "lte-meter.h"

#include "ns3/opengym-info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief LTE users that move, and agents that hand them over from cell to cell.
 *
 * A device is the port of a user's reports and handovers, on a separate node for the user's context
 * in the radio network; or a cell, for all its users.
 */
class HandoverEnvironment : public Environment
{
  public:
    HandoverEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    void DeclareBaseline(RlSimulation& simulation); //!< Declare baselines @param simulation run
    void DeclareRewards(RlSimulation& simulation);  //!< Declare rewards @param simulation run
    void SetBaseline();                             //!< Let ns-3 decide on handovers, if configured

    /**
     * @return a fault of the handover algorithm's parameters, or an empty string
     */
    std::string FindBaselineFault() const;

    bool HasAgentPerUser() const; //!< @return whether each user has a separate agent

    /**
     * @param user Number of a user.
     * @return its report, as a message
     */
    Ptr<OpenGymDataContainer> MakeMessage(uint32_t user) const;

    /**
     * Execute the handovers of an action.
     *
     * @param device Number of the device.
     * @param action Action of the agent.
     */
    void Execute(uint32_t device, Ptr<OpenGymDataContainer> action) const;

    /**
     * @param device Number of a device.
     * @return the reward of its agent for the last interval
     */
    double GetReward(uint32_t device) const;

    /**
     * @param agent Number of an agent.
     * @return the infos
     */
    OpenGymInfo Report(uint32_t agent) const;

    uint32_t m_cellCount{4};                  //!< Number of cells
    uint32_t m_userCount{4};                  //!< Number of users
    std::string m_agents{"user"};             //!< Agents: user or cell
    std::string m_observation{"cells"};       //!< Kind: cells or neighbours
    std::string m_algorithm{"agent"};         //!< Algorithm: agent, a3_rsrp, a2_a4_rsrq, none
    uint32_t m_servingThreshold{30};          //!< Threshold of a2_a4_rsrq, in steps of RSRQ
    uint32_t m_neighbourOffset{1};            //!< Offset of a2_a4_rsrq, in steps of RSRQ
    Time m_interval{MilliSeconds(240)};       //!< Interval between two decisions
    LteParameters m_lte;                      //!< Properties of cells
    ReportParameters m_reports;               //!< Reports of users
    HandoverRewardParameters m_worth;         //!< Weights of rewards
    std::optional<LteCells> m_cells;          //!< Simulated network
    std::optional<LteMeter> m_meter;          //!< Traffic meter
    std::optional<HandoverMonitor> m_monitor; //!< Handovers of users
    std::optional<HandoverRewards> m_rewards; //!< Rewards of users
};

} // namespace ns3

#endif // HANDOVER_ENVIRONMENT_H
