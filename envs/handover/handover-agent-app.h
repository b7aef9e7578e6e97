// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_AGENT_APP_H
#define HANDOVER_AGENT_APP_H

#include "periodic-agent-application.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Picks the cells that serve users, by what they have reported.
 *
 * It hears of reports as entry "report" of a message, a box of float32: number of the user, number
 * of its cell, RSRP of each cell, RSRQ of each cell, in steps, and neighbours in the order of the
 * report, filled up with -1.
 *
 * Observation: Box of float32 from 0 to 1; of each user RSRP of each cell / 97, RSRQ of each cell /
 * 34, 1 for the cell that serves it and 0 for others, and the time for which it has done so / 5 s,
 * at most 1. Zeros stand for what was not reported. Action, for each user (Discrete, or
 * MultiDiscrete): 0, it stays where it is; k, cell k - 1 is to serve it.
 */
class HandoverAgentApp : public PeriodicAgentApplication
{
  public:
    /**
     * @param interval Time between two decisions; zero: decide on each report, by that alone.
     * @param cells Number of cells.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    HandoverAgentApp(Time interval, uint32_t cells, uint32_t firstUser, uint32_t users);

  private:
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymDataContainer> Summarise() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    /// What it has heard of a user.
    struct User
    {
        std::vector<float> report;       //!< All but the numbers; empty: nothing
        std::optional<uint32_t> serving; //!< Its cell
        Time since{};                    //!< When that began
        Time heard{};                    //!< When that was last said
    };

    bool m_onReports;             //!< It decides on each report
    uint32_t m_cells;             //!< Number of cells
    uint32_t m_firstUser;         //!< Number of its first user
    std::vector<User> m_users;    //!< What it has heard of each
    std::vector<int32_t> m_order; //!< Neighbours of each in the order of the report seen last
};

} // namespace ns3

#endif // HANDOVER_AGENT_APP_H
