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
 * @brief What the agents of an environment have in common.
 */
struct HandoverAgentParameters
{
    std::string reports; //!< periodic; or a3 or both, with which an agent decides on each report
    Time interval;       //!< Time between two decisions with periodic reports
    uint32_t cells;      //!< Number of cells
};

/**
 * @brief Picks the cells that serve users, by what they have reported.
 *
 * It receives reports as entry "report" of a message, a box of float32: number of the user, number
 * of its cell, RSRP of each cell, RSRQ of each cell, in steps, and neighbours in the order of the
 * report, filled up with -1. With reports of both kinds, and for a NeighbourAgentApp, two numbers
 * follow: 1 for a report by event A3 and 0 for others, and the time in s at which it was sent.
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
     * @param parameters What all agents have in common.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    HandoverAgentApp(const HandoverAgentParameters& parameters, uint32_t firstUser, uint32_t users);

  protected:
    /// What an agent knows of a user. Vectors are empty if nothing was reported.
    struct User
    {
        std::vector<float> rsrp;         //!< Of each cell, in steps; 0: not reported
        std::vector<float> rsrq;         //!< Of each cell, in steps; 0: not reported
        std::vector<int32_t> order;      //!< Neighbours in the order of its report, then -1
        std::optional<uint32_t> serving; //!< Its cell
        Time since{};                    //!< When that began
        Time heard{};                    //!< When the last report arrived
        Time sent{};                     //!< When the last report was sent, if it says so
    };

    /**
     * React to a report.
     *
     * @param user Number of the user, among those of the agent.
     * @param rsrp RSRP of each cell in steps; 0: not reported.
     */
    virtual void NoteReport(uint32_t user, const std::vector<float>& rsrp);

    /**
     * Describe a user that has reported.
     *
     * @param user Number of the user, among those of the agent.
     * @param numbers Where its numbers are appended.
     */
    virtual void Describe(uint32_t user, std::vector<float>& numbers);

    virtual uint32_t CountNumbers() const; //!< @return the numbers that describe a user
    virtual uint32_t CountChoices() const; //!< @return the actions for a user
    virtual float GetLeast() const;        //!< @return the lower bound of the numbers

    double GetStay(const User& user) const; //!< @return the last number @param user of whom

    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;
    Ptr<OpenGymDataContainer> Summarise() override;

    const HandoverAgentParameters m_parameters; //!< What all agents have in common
    std::vector<User> m_users;                  //!< What it knows of each

  private:
    void OnRecvObs(uint32_t remoteAppId) override;

    uint32_t m_firstUser;         //!< Number of its first user
    std::vector<int32_t> m_order; //!< Neighbours of each in the order of the report seen last
};

} // namespace ns3

#endif // HANDOVER_AGENT_APP_H
