// SPDX-License-Identifier: GPL-2.0-only

#ifndef WINDOW_AGENT_APP_H
#define WINDOW_AGENT_APP_H

#include "cell-statistics.h"
#include "collision-history.h"
#include "periodic-agent-application.h"

#include <optional>

namespace ns3
{

/**
 * @brief The choice of contention windows by agents.
 */
struct WindowChoice
{
    Time interval{MilliSeconds(10)}; //!< Time between two decisions
    uint32_t samples{300};           //!< Collision rates in an observation, one per decision
    bool continuous{false};          //!< Whether an action is a real number
    bool observesActions{false};     //!< Whether an agent observes its own actions
};

/**
 * @brief Chooses the contention window of a station, or of all stations.
 *
 * It decides at its start, and then at an interval, by the latest counts of its stations'
 * transmitted and failed frames. An agent with a later start time joins then.
 *
 * Observation: Box of float32, for each window of CollisionHistory the mean and the standard
 * deviation of the collision rate and, if the agent observes its actions, their mean from 0 to 1.
 * Action: Discrete(7) or Box of 1 x float32 from 0 to 6, see GetWindow().
 *
 * Its infos report the state of the cell, independently of messages: `stations` (that have joined),
 * and for the last interval `throughput` (Mb/s), `airtime`, and `window` (slots, CWmin) and
 * `collision_rate` of the last sample. A central agent also has `throughputs`, `airtimes` and
 * `windows` of all stations. A station that has not joined has window 0.
 */
class WindowAgentApp : public PeriodicAgentApplication
{
  public:
    static constexpr uint32_t EXPONENTS = 7; //!< Number of windows to choose from

    /**
     * @param action An action of an agent.
     * @return the exponent, from 0 to 6
     */
    static double ReadExponent(Ptr<OpenGymDataContainer> action);

    /**
     * @param exponent An action, from 0 to 6.
     * @return its contention window: 2^(exponent + 4) - 1 slots, rounded
     */
    static uint32_t GetWindow(double exponent);

    /**
     * @param choice Parameters of decisions.
     * @param statistics Statistics of the cell; they live as long as the simulation.
     * @param station Number of the agent's station; none: all.
     */
    WindowAgentApp(const WindowChoice& choice,
                   const CellStatistics& statistics,
                   std::optional<uint32_t> station);

    void Setup() override;

  private:
    void StartApplication() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymDataContainer> Summarise() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    WindowChoice m_choice;                     //!< Parameters of decisions
    const CellStatistics& m_statistics;        //!< Statistics of the cell
    std::optional<uint32_t> m_station;         //!< Station of the agent; none: all
    std::optional<CollisionHistory> m_history; //!< Reported collisions
    uint64_t m_transmissions{0};               //!< Transmissions since the last decision
    uint64_t m_failures{0};                    //!< Failures since the last decision
    double m_exponent{0};                      //!< Last action, from 0 to 1
    bool m_decided{false};                     //!< Whether it has decided once
    bool m_reported{false};                    //!< A report has arrived; before, nothing is known
};

} // namespace ns3

#endif // WINDOW_AGENT_APP_H
