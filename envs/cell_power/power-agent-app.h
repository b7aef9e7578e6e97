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
 * @brief Which powers there are to choose from.
 */
struct PowerChoice
{
    double least{0};                     //!< In dBm
    double largest{30};                  //!< In dBm
    uint32_t levels{7};                  //!< Of discrete actions, evenly spread in dB
    std::string actionSpace{"discrete"}; //!< discrete or continuous

    /**
     * @param action Action of an agent.
     * @param index Which of its powers.
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
 * It hears of each of its cells the SINR of its users, the load and the power, as entry "cell" of
 * a message: a box of float32. With neighbours, it tells them after each decision the power, the
 * worst SINR and the load of its cell, and hears the same of them.
 *
 * Observation: Box of float32, the last reports of its cells, then of neighbours: SINR and power
 * in units of 10 dB and 10 dBm, loads from 0 to 1; 0 before the first report. Action: a level
 * (Discrete, MultiDiscrete of all cells), or dBm (Box of 1 or all cells x float32).
 */
class PowerAgentApp : public PeriodicAgentApplication
{
  public:
    static constexpr uint32_t TOLD = 3; //!< Numbers in what agents tell each other

    /**
     * @param interval Time between two decisions.
     * @param choice Which powers there are.
     * @param firstCell Number of its first cell.
     * @param users Number of users of each of its cells.
     */
    PowerAgentApp(Time interval,
                  PowerChoice choice,
                  uint32_t firstCell,
                  std::vector<uint32_t> users);

    /**
     * Tell it with whom it talks.
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

    PowerChoice m_choice;                   //!< Which powers there are
    uint32_t m_firstCell;                   //!< Number of its first cell
    std::vector<uint32_t> m_users;          //!< Of each of its cells
    std::vector<std::vector<float>> m_seen; //!< The last report of each of its cells
    std::vector<uint32_t> m_neighbours;     //!< Numbers of other agents
    std::vector<std::vector<float>> m_told; //!< The last report of each of them
};

} // namespace ns3

#endif // POWER_AGENT_APP_H
