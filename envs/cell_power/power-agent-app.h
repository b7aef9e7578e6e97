// SPDX-License-Identifier: GPL-2.0-only

#ifndef POWER_AGENT_APP_H
#define POWER_AGENT_APP_H

#include "periodic-agent-application.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The powers to choose from.
 */
struct PowerChoice
{
    double least{0};                     //!< Least power in dBm
    double largest{30};                  //!< Largest power in dBm
    uint32_t levels{7};                  //!< Number of discrete powers, evenly spread in dB
    std::string actionSpace{"discrete"}; //!< Kind: discrete or continuous

    /**
     * @param action Action of an agent.
     * @param index Index of the power.
     * @return the power in dBm
     */
    double Read(Ptr<OpenGymDataContainer> action, uint32_t index) const;

    /**
     * @param level A discrete action.
     * @return the power in dBm
     */
    double GetPower(int64_t level) const;
};

/**
 * @brief Chooses the power of a cell, or of all cells, at an interval.
 *
 * It receives the SINR of the users, the load and the power of each of its cells, as entry "cell"
 * of a message: a box of float32. With neighbours, it sends them the power, the worst SINR and the
 * load of its cell after each decision, and receives theirs.
 *
 * Observation: Box of float32, the last reports of its cells, then of neighbours: SINR and power
 * in units of 10 dB and 10 dBm, loads from 0 to 1; 0 before the first report. Action: a level
 * (Discrete, MultiDiscrete of all cells), or dBm (Box of 1 or all cells x float32).
 */
class PowerAgentApp : public PeriodicAgentApplication
{
  public:
    static constexpr uint32_t REPORT_SIZE = 3; //!< Numbers in a report between agents

    /**
     * @param interval Time between two decisions.
     * @param choice The powers to choose from.
     * @param firstCell Number of its first cell.
     * @param users Number of users of each of its cells.
     */
    PowerAgentApp(Time interval,
                  PowerChoice choice,
                  uint32_t firstCell,
                  std::vector<uint32_t> users);

    /**
     * Set the neighbours of the agent.
     *
     * @param agents Numbers of other agents.
     */
    void SetNeighbours(std::vector<uint32_t> agents);

  private:
    void OnRecvObs(uint32_t remoteAppId) override;
    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override;
    Ptr<OpenGymDataContainer> Summarise() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;

    PowerChoice m_choice;                               //!< Choice of powers
    uint32_t m_firstCell;                               //!< Number of its first cell
    std::vector<uint32_t> m_users;                      //!< Users of each cell
    std::vector<std::vector<float>> m_cellReports;      //!< Last report of each cell
    std::vector<uint32_t> m_neighbours;                 //!< Numbers of other agents
    std::vector<std::vector<float>> m_neighbourReports; //!< Last report of each neighbour
};

} // namespace ns3

#endif // POWER_AGENT_APP_H
