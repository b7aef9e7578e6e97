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
 * @brief Picks the cells that serve users, among the best received neighbours.
 *
 * Observation: Box of float32 from -1 to 1. For each user: RSRP and RSRQ of its cell as in the base
 * class, and the change of this RSRP in 0.2 s and in 1 s. Next come the time of this service / 5 s
 * and the age of the last report / s, each at most 1. For each of three neighbours: 1 (0: no
 * neighbour), its RSRP minus the cell's, and the change of its RSRP in 0.2 s and in 1 s. The last
 * number is 1 if a report by event A3 with the neighbour has arrived since the last decision.
 * Differences and changes are in 20 dB. Neighbours in such a report come first, in its order;
 * others follow by RSRP.
 *
 * Action, for each user: 0 keeps its cell, k hands the user over to its k-th neighbour in the last
 * observation.
 */
class NeighbourAgentApp : public HandoverAgentApp
{
  public:
    /**
     * @param parameters Parameters that all agents share.
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
     * @param user State of a user.
     * @return its reported neighbours, in the order of observations
     */
    std::vector<int32_t> RankNeighbours(const User& user) const;

    /**
     * Append the changes of the RSRP of a cell.
     *
     * @param user Number of the user, among the agent's users.
     * @param cell Number of the cell.
     * @param numbers Vector to extend.
     */
    void AppendChanges(uint32_t user, uint32_t cell, std::vector<float>& numbers) const;

    /**
     * @param user Number of the user, among the agent's users.
     * @param choice Action for the user.
     * @return the action with the cells' numbers at devices
     */
    int64_t FindCell(uint32_t user, int64_t choice) const;

    std::vector<std::vector<RsrpHistory>> m_histories; //!< Histories by user and cell
    std::vector<int32_t> m_neighbours;                 //!< Three neighbours of each user; -1: none
};

} // namespace ns3

#endif // NEIGHBOUR_AGENT_APP_H
