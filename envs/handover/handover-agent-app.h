// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_AGENT_APP_H
#define HANDOVER_AGENT_APP_H

#include "periodic-agent-application.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Parameters that the agents of an environment share.
 */
struct HandoverAgentParameters
{
    std::string reports; //!< Kind: periodic; a3 and both: an agent decides on each report
    Time interval;       //!< Time between two decisions with periodic reports
    uint32_t cells;      //!< Number of cells
};

/**
 * @brief Picks the cells that serve users, by the users' reports.
 *
 * It receives reports as entry "report" of a message, a box of float32. The box has the numbers of
 * the user and of its cell, the RSRP and then the RSRQ of each cell, in steps, and the neighbours
 * in the order of the report, padded with -1. With reports of both kinds, and for a
 * NeighbourAgentApp, two numbers follow: 1 for a report by event A3 and 0 for others, and the
 * sending time in s.
 *
 * Observation: Box of float32 from 0 to 1. For each user: RSRP of each cell / 97, RSRQ of each cell
 * / 34, 1 for the serving cell and 0 for others, and the time of this service / 5 s, at most 1.
 * Missing values are 0. Action, for each user (Discrete, or MultiDiscrete): 0 keeps its cell, k
 * hands the user over to cell k - 1.
 */
class HandoverAgentApp : public PeriodicAgentApplication
{
  public:
    /**
     * @param parameters Parameters that all agents share.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    HandoverAgentApp(const HandoverAgentParameters& parameters, uint32_t firstUser, uint32_t users);

  protected:
    /// Known state of a user. Vectors are empty before the first report.
    struct User
    {
        std::vector<float> rsrp;         //!< RSRP of each cell, in steps; 0: not reported
        std::vector<float> rsrq;         //!< RSRQ of each cell, in steps; 0: not reported
        std::vector<int32_t> order;      //!< Neighbours in the order of the report, then -1
        std::optional<uint32_t> serving; //!< Serving cell
        Time since{};                    //!< Begin of the service
        Time arrived{};                  //!< Arrival of the last report
        Time sent{};                     //!< Sending time of the last report, if reported
    };

    /**
     * React to a report.
     *
     * @param user Number of the user, among the agent's users.
     * @param rsrp RSRP of each cell in steps; 0: not reported.
     */
    virtual void NoteReport(uint32_t user, const std::vector<float>& rsrp);

    /**
     * Append the numbers of a user that has reported.
     *
     * @param user Number of the user, among the agent's users.
     * @param numbers Vector to extend.
     */
    virtual void Describe(uint32_t user, std::vector<float>& numbers);

    virtual uint32_t CountNumbers() const; //!< @return the numbers that describe a user
    virtual uint32_t CountChoices() const; //!< @return the actions for a user
    virtual float GetLeast() const;        //!< @return the lower bound of the numbers

    double GetStay(const User& user) const; //!< @return the stay @param user observed user

    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;
    Ptr<OpenGymDataContainer> Summarise() override;

    const HandoverAgentParameters m_parameters; //!< Parameters of all agents
    std::vector<User> m_users;                  //!< Known states of users

  private:
    void OnRecvObs(uint32_t remoteAppId) override;

    uint32_t m_firstUser;         //!< Number of its first user
    std::vector<int32_t> m_order; //!< Neighbours of each user in the order of the last report
};

} // namespace ns3

#endif // HANDOVER_AGENT_APP_H
