// SPDX-License-Identifier: GPL-2.0-only

// Stations contend for a Wi-Fi channel, and agents choose their contention windows; see card.md.

#include "cell-statistics.h"
#include "environment-program.h"
#include "environment.h"
#include "wifi-cell.h"
#include "window-agent-app.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t MOST_STATIONS = 100; // all of them associate within a second
constexpr uint32_t LEAST_PAYLOAD = 100;
constexpr uint32_t LARGEST_PAYLOAD = 2296; // an MSDU of 2304 bytes minus LLC's 8

/**
 * @brief Saturated stations that contend for a Wi-Fi channel.
 */
class WifiContentionEnvironment : public Environment
{
  public:
    WifiContentionEnvironment()
        : Environment({.scenario = "wifi_contention",
                       .device = "station",
                       .accesses = {"point-to-point", "in-band"}})
    {
        m_deployment.placement = "central";
    }

    uint32_t CountDevices() const override
    {
        return std::max(m_stations, m_finalStations);
    }

    NodeContainer BuildDevices() override
    {
        m_cell.emplace(CountDevices(), m_payload);
        m_reward.history = m_history;
        m_reward.central = IsCentral();
        m_statistics.emplace(*m_cell, m_interval, m_reward);
        if (CarriesMessages())
        {
            m_cell->InstallInternet();
        }
        return m_cell->GetNodes();
    }

    Ptr<Node> GetGateway() const override
    {
        return m_cell->GetAccessPoint();
    }

    void StartDevices() override
    {
        m_cell->AwaitAssociation();
        for (uint32_t i = 0; i < CountDevices(); i++)
        {
            const auto station = m_cell->GetStations()[i];
            Simulator::ScheduleWithContext(m_cell->GetNodes().Get(i)->GetId(),
                                           GetJoinTime(i),
                                           &SaturatedStation::Join,
                                           station);
        }
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        auto reward =
            CreateObject<CallableRewardApplication>(m_interval, [this, device]() -> double {
                m_statistics->Measure();
                return m_statistics->GetReward(device);
            });
        return {.observation = MakeObservation(device),
                .reward = reward,
                .action = MakeAction(device)};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        const auto station = IsCentral() ? std::nullopt : std::optional(agent);
        auto application =
            CreateObject<WindowAgentApp>(WindowChoice{.interval = m_interval,
                                                      .samples = m_history,
                                                      .continuous = m_actionSpace == "continuous",
                                                      .observesActions = m_observeActions},
                                         *m_statistics,
                                         station);
        if (station)
        {
            application->SetStartTime(GetJoinTime(agent));
        }
        return application;
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("stations",
                            "Number of stations at the start.",
                            m_stations,
                            1U,
                            MOST_STATIONS);
        simulation.AddValue("final_stations",
                            "Number of stations at the end; they join one by one, at equal "
                            "intervals; 0: none joins.",
                            m_finalStations,
                            0U,
                            MOST_STATIONS);
        simulation.AddValue("payload",
                            "Bytes in a frame, without the headers of LLC and MAC.",
                            m_payload,
                            LEAST_PAYLOAD,
                            LARGEST_PAYLOAD);
        simulation.AddChoice("back_off",
                             "Control of windows: agents, or the standard's binary exponential "
                             "back-off (15 to 1023), whatever the actions are.",
                             m_backOff,
                             {"agent", "standard"});
        simulation.AddChoice(
            "action_space",
            "Discrete(7), or a real number from 0 to 6: exponent a of the window 2^(a + 4) - 1.",
            m_actionSpace,
            {"discrete", "continuous"});
        simulation.AddChoice("reward",
                             "Reward of an agent: throughput of all stations, of its own stations, "
                             "or an alpha-fair mean.",
                             m_reward.kind,
                             {"cooperative", "competitive", "mixed"});
        simulation.AddValue("alpha",
                            "Exponent of alpha-fairness, for reward=mixed: 0 is the sum, 1 is "
                            "proportional fairness; larger exponents favour the slowest stations.",
                            m_reward.alpha,
                            0.,
                            10.);
        simulation.AddValue("interval",
                            "Time between two decisions.",
                            m_interval,
                            MilliSeconds(1),
                            Seconds(1));
        simulation.AddValue("history",
                            "Number of past decisions in an observation; a multiple of 4.",
                            m_history,
                            CollisionHistory::WINDOWS,
                            10000U);
        simulation.AddValue("observe_actions",
                            "Whether an observation also has the mean of past actions.",
                            m_observeActions);
        simulation.AddWarmUp([] { WifiCell(2, 1500); });
    }

    std::string FindContradiction() const override
    {
        std::ostringstream fault;
        if (m_finalStations != 0 && m_finalStations < m_stations)
        {
            fault << "final_stations=" << m_finalStations << " is less than stations=" << m_stations
                  << ": stations join, but never leave";
        }
        else if (m_history % CollisionHistory::WINDOWS != 0)
        {
            fault << "history=" << m_history << " is not a multiple of "
                  << CollisionHistory::WINDOWS << ", as windows begin at its quarters";
        }
        return fault.str().empty() ? FindDecisionFault(m_interval, m_reward.kind) : fault.str();
    }

    /**
     * @param station Number of a station.
     * @return its joining time, from the start of the episode
     */
    Time GetJoinTime(uint32_t station) const
    {
        if (station < m_stations)
        {
            return Time(0);
        }
        const int64_t parts = CountDevices() - m_stations + 1;
        const auto joins = m_deployment.duration * int64_t{station - m_stations + 1} / parts;
        return m_interval * Div(joins, m_interval); // the time of the others' decisions
    }

    /**
     * @return whether messages cross the cell
     */
    bool CarriesMessages() const
    {
        const bool local = m_deployment.placement == "local";
        const bool crosses =
            local ? m_deployment.trainingServer.Exists() : m_deployment.transport != "simple";
        return crosses && m_deployment.access == "in-band";
    }

    /**
     * @param station Number of a station.
     * @return the application that reports its transmissions
     */
    Ptr<ObservationApplication> MakeObservation(uint32_t station)
    {
        return CreateObject<CallableObservationApplication>(
            m_interval,
            [station = m_cell->GetStations()[station],
             before = SaturatedStation::Counts()]() mutable -> Ptr<OpenGymDataContainer> {
                if (!station->HasJoined())
                {
                    return nullptr;
                }
                const auto [sent, failed, delivered] = std::exchange(before, station->GetCounts());
                return MakeDictContainer("frames",
                                         MakeBoxContainer<uint32_t>(2,
                                                                    before.transmissions - sent,
                                                                    before.failures - failed));
            });
    }

    /**
     * @param station Number of a station.
     * @return the application that sets its window
     */
    Ptr<ActionApplication> MakeAction(uint32_t station)
    {
        return CreateObject<CallableActionApplication>(
            [this, station = m_cell->GetStations()[station]](Ptr<OpenGymDataContainer> action) {
                if (m_backOff == "agent")
                {
                    station->SetWindow(
                        WindowAgentApp::GetWindow(WindowAgentApp::ReadExponent(action)));
                }
            });
    }

    uint32_t m_stations{5};                     //!< Number of stations at the start
    uint32_t m_finalStations{0};                //!< Number of stations at the end; 0: as many
    uint32_t m_payload{1500};                   //!< Bytes in a frame
    Time m_interval{MilliSeconds(10)};          //!< Interval between two decisions
    uint32_t m_history{300};                    //!< Samples in an observation
    std::string m_actionSpace{"discrete"};      //!< Kind: discrete or continuous
    std::string m_backOff{"agent"};             //!< Algorithm: agent or standard
    bool m_observeActions{false};               //!< Whether agents observe their actions
    RewardParameters m_reward;                  //!< Parameters of rewards
    std::optional<WifiCell> m_cell;             //!< The network
    std::optional<CellStatistics> m_statistics; //!< The measurements
};

} // namespace

int
main(int argc, char* argv[])
{
    WifiContentionEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
