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
 * A device is where a user's reports come out and its handovers are ordered, on a node of its own
 * that stands for the context that the radio network keeps of it; or a cell, for all its users.
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

    void DeclareBaseline(RlSimulation& simulation); //!< ns-3's own ways @param simulation where
    void DeclareRewards(RlSimulation& simulation);  //!< What is worth what @param simulation where
    void SetBaseline();                             //!< Have ns-3 hand over by itself, if it is to

    /**
     * @return what is wrong with how is handed over, or an empty string
     */
    std::string FindBaselineFault() const;

    bool HasAgentPerUser() const; //!< @return whether each user has an agent of its own

    /**
     * @param user Number of a user.
     * @return what it has reported, as a message
     */
    Ptr<OpenGymDataContainer> MakeMessage(uint32_t user) const;

    /**
     * Hand users over as an agent wants it.
     *
     * @param device Number of the device that is told.
     * @param action What the agent wants.
     */
    void Execute(uint32_t device, Ptr<OpenGymDataContainer> action) const;

    /**
     * @param device Number of a device.
     * @return what its agent has earned in the last interval
     */
    double GetReward(uint32_t device) const;

    /**
     * @param agent Number of an agent.
     * @return what infos tell
     */
    OpenGymInfo Report(uint32_t agent) const;

    uint32_t m_cellCount{4};                  //!< Number of cells
    uint32_t m_userCount{4};                  //!< Number of users
    std::string m_agents{"user"};             //!< user or cell
    std::string m_observation{"cells"};       //!< cells or neighbours
    std::string m_algorithm{"agent"};         //!< agent, a3_rsrp, a2_a4_rsrq, none
    uint32_t m_servingThreshold{30};          //!< Of a2_a4_rsrq, in steps of RSRQ
    uint32_t m_neighbourOffset{1};            //!< Of a2_a4_rsrq, in steps of RSRQ
    Time m_interval{MilliSeconds(240)};       //!< Between two decisions
    LteParameters m_lte;                      //!< What cells are like
    ReportParameters m_reports;               //!< When users report
    HandoverRewardParameters m_worth;         //!< What is worth what
    std::optional<LteCells> m_cells;          //!< What is simulated
    std::optional<LteMeter> m_meter;          //!< What arrives there
    std::optional<HandoverMonitor> m_monitor; //!< What becomes of users
    std::optional<HandoverRewards> m_rewards; //!< What that is worth
};

} // namespace ns3

#endif // HANDOVER_ENVIRONMENT_H
