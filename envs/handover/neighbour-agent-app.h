// SPDX-License-Identifier: GPL-2.0-only

#ifndef NEIGHBOUR_AGENT_APP_H
#define NEIGHBOUR_AGENT_APP_H

#include "handover-agent-app.h"
#include "rsrp-history.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Picks the cells that serve users, by the neighbours that they receive best.
 *
 * Observation: Box of float32 from -1 to 1; of each user RSRP and RSRQ of its cell as in the base
 * class, the change of this RSRP in 0.2 s and in 1 s, the time for which the cell has served it / 5
 * s and the age of the last report / s, each at most 1; then of each of three neighbours 1 (0:
 * there is none), RSRP less that of its cell, the change of the neighbour's RSRP in 0.2 s and in 1
 * s, and 1 if the neighbour is in a report by event A3 that has arrived since the last decision.
 * Differences and changes are in 20 dB. Neighbours of such a report come first, in its order, then
 * others by RSRP.
 *
 * Action, for each user: 0, it stays where it is; k, its k-th neighbour in the last observation is
 * to serve it.
 */
class NeighbourAgentApp : public HandoverAgentApp
{
  public:
    /**
     * @param parameters What all agents have in common.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    NeighbourAgentApp(const HandoverAgentParameters& parameters,
                      uint32_t firstUser,
                      uint32_t users);

  private:
    void NoteReport(uint32_t user, const std::vector<float>& rsrp) override;
    Ptr<OpenGymDataContainer> Summarise() override;
    void Describe(uint32_t user, std::vector<float>& numbers) override;
    uint32_t CountNumbers() const override;
    uint32_t CountChoices() const override;
    float GetLeast() const override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @param user What is known of a user.
     * @return its neighbours that were reported, in the order of observations
     */
    std::vector<int32_t> RankNeighbours(const User& user) const;

    /**
     * Append the changes of the RSRP of a cell.
     *
     * @param user Number of the user, among those of the agent.
     * @param cell Number of the cell.
     * @param numbers Where they are appended.
     */
    void AppendChanges(uint32_t user, uint32_t cell, std::vector<float>& numbers) const;

    /**
     * @param user Number of the user, among those of the agent.
     * @param choice Its part of the action.
     * @return the same with cells numbered as devices know them
     */
    int64_t FindCell(uint32_t user, int64_t choice) const;

    std::vector<std::vector<RsrpHistory>> m_histories; //!< Of each user and cell
    std::vector<int32_t> m_neighbours;                 //!< Of each user three, -1: there is none
};

} // namespace ns3

#endif // NEIGHBOUR_AGENT_APP_H
