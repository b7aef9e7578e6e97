// SPDX-License-Identifier: GPL-2.0-only

// Wi-Fi stations whose rates agents choose; see card.md.

#include "asked-agent-application.h"
#include "environment-program.h"
#include "environment.h"
#include "network-parameters.h"
#include "rate-agent-app.h"
#include "rate-features.h"
#include "rate-network.h"
#include "rate-rewards.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/inference-queue.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-info.h"
#include "ns3/rng-seed-manager.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @brief Wi-Fi stations whose rates are chosen by agents.
 */
class WifiRateControlEnvironment : public Environment
{
  public:
    WifiRateControlEnvironment()
        : Environment({.scenario = "wifi_rate_control",
                       .device = "station",
                       .accesses = {"point-to-point"}})
    {
        m_deployment.placement = "local";
    }

    uint32_t CountDevices() const override
    {
        return m_parameters.stations;
    }

    NodeContainer BuildDevices() override
    {
        m_network = std::make_unique<RateNetwork>(m_parameters, m_details);
        // A central agent receives the rewards of its stations.
        m_rewards.emplace(m_parameters.payload,
                          m_reward == "cooperative" && !IsCentral(),
                          m_network->GetAllStatistics());
        return m_network->GetNodes();
    }

    void StartDevices() override
    {
        m_network->AwaitAssociation();
        m_network->Start();
        m_rewards->Start();
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        if (IsPerFrame())
        {
            return {.observation = nullptr, .reward = nullptr, .action = nullptr};
        }
        return {
            .observation = CreateObject<CallableObservationApplication>(
                m_interval,
                [statistics = m_network->GetStatistics(device),
                 features = MakeFeatures(device)]() mutable -> Ptr<OpenGymDataContainer> {
                    return MakeDictContainer("state", MakeBoxContainer(features.Make(*statistics)));
                }),
            .reward = CreateObject<CallableRewardApplication>(
                m_interval,
                [this, device]() -> double { return m_rewards->Take(device); }),
            .action = CreateObject<CallableActionApplication>(
                [manager = m_network->GetManager(device)](Ptr<OpenGymDataContainer> action) {
                    if (manager)
                    {
                        manager->SetRow(action->GetObject<OpenGymDiscreteContainer>()->GetValue());
                    }
                })};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        return IsPerFrame() ? MakeFrameAgent(agent) : MakeIntervalAgent(agent);
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        m_parameters.Declare(simulation);
        simulation.AddChoice("control",
                             "Decisions of agents: once in an interval, or for each frame "
                             "exchange, within a call of the MAC.",
                             m_control,
                             {"interval", "per_frame"});
        simulation.AddValue("interval",
                            "Time between two decisions, with control=interval.",
                            m_interval,
                            MilliSeconds(1),
                            Seconds(10));
        simulation.AddChoice(
            "observation",
            "Observation: counts since the last decision, or smoothed ratios from 0 to 1.",
            m_observation,
            {"counts", "smoothed"});
        simulation.AddValue("memory",
                            "Time constant of smoothed ratios, with observation=smoothed.",
                            m_memory,
                            MilliSeconds(1),
                            Seconds(1000));
        simulation.AddChoice("reward",
                             "Bits delivered per airtime: of all stations, or of the agent's own.",
                             m_reward,
                             {"cooperative", "competitive"});
        simulation.AddValue("details",
                            "Whether infos have the knowledge of ns-3's algorithms: each frame and "
                            "report, and the choice of Ideal.",
                            m_details);
        simulation.AddWarmUp([] {
            const NetworkParameters parameters;
            RateNetwork network(parameters);
        });
    }

    std::string FindContradiction() const override
    {
        const auto fault = m_parameters.FindContradiction();
        if (!fault.empty())
        {
            return fault;
        }
        if (m_control == "per_frame" &&
            (m_deployment.placement != "local" || m_deployment.transport != "simple" ||
             !m_deployment.actionDelay.IsZero() || m_deployment.inference.MakeQueue("agent_0")))
        {
            return "control=per_frame answers within a call of the MAC, so it needs "
                   "placement=local, transport=simple, no action_delay and no workers or "
                   "service_time";
        }
        for (uint32_t i = 0; m_control == "per_frame" && i < m_parameters.stations; i++)
        {
            const auto& algorithm = m_parameters.GetAlgorithm(i);
            if (algorithm != "agent")
            {
                return "algorithm=" + algorithm +
                       " decides by itself, so control=per_frame does not apply; leave it out";
            }
        }
        return FindDecisionFault(m_interval, m_reward);
    }

    /**
     * @return whether agents decide within calls of the MAC
     */
    bool IsPerFrame() const
    {
        return m_control == "per_frame";
    }

    /**
     * @param station Number of a station.
     * @return features of the station
     */
    RateFeatures MakeFeatures(uint32_t station) const
    {
        return RateFeatures(m_network->GetStatistics(station)->GetTable().GetRows().size(),
                            m_observation == "smoothed",
                            m_memory);
    }

    /**
     * Create an agent that decides within calls of the MAC.
     *
     * @param station Number of the agent's station.
     * @return the agent
     */
    Ptr<AgentApplication> MakeFrameAgent(uint32_t station)
    {
        auto features = MakeFeatures(station);
        const auto statistics = m_network->GetStatistics(station);
        const auto agent = CreateObject<AskedAgentApplication>(
            MakeBoxSpace(features.GetLow(), features.GetHigh()),
            MakeDiscreteSpace(statistics->GetTable().GetRows().size()));
        agent->SetReport([this, station] { return Report(station); });
        m_network->GetManager(station)->SetDecider(
            [this, agent, station, statistics, features]() mutable -> std::optional<uint32_t> {
                if (agent->HasEnded())
                {
                    return std::nullopt;
                }
                const auto action = agent->Ask(MakeBoxContainer(features.Make(*statistics)),
                                               m_rewards->Take(station));
                return action ? std::optional<uint32_t>(
                                    action->GetObject<OpenGymDiscreteContainer>()->GetValue())
                              : std::nullopt;
            });
        return agent;
    }

    /**
     * Create an agent that decides once in an interval.
     *
     * @param agent Number of the agent.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent)
    {
        const auto features = MakeFeatures(agent);
        const auto made = CreateObject<RateAgentApp>(
            GetDevicesOf(agent),
            features.GetLow(),
            features.GetHigh(),
            m_network->GetStatistics(agent)->GetTable().GetRows().size());
        made->SetReport([this, agent] { return IsCentral() ? ReportAll() : Report(agent); });
        return made;
    }

    /**
     * @param station Number of a station.
     * @return its infos
     */
    OpenGymInfo Report(uint32_t station) const
    {
        const auto statistics = m_network->GetStatistics(station);
        const auto& state = statistics->Get();
        OpenGymInfo info{
            {"received_bytes",
             int64_t(m_network->GetStation(station)->GetCounts().delivered * m_parameters.payload)},
            {"rate", int64_t{state.row}},
            {"data_rate", statistics->GetTable().GetRows()[state.row].dataRate / 1e6},
            {"snr", state.snr},
            {"distance", m_network->GetDistance(station)},
            {"data_rates", ListDataRates()}};
        if (m_details)
        {
            AddDetails(station, info);
        }
        return info;
    }

    /**
     * @param station Number of a station.
     * @param info Info to extend by the knowledge of ns-3's algorithms.
     */
    void AddDetails(uint32_t station, OpenGymInfo& info) const
    {
        const auto statistics = m_network->GetStatistics(station);
        info["frames"] = MakeBoxContainer(statistics->TakeFrames());
        if (const auto manager = m_network->GetManager(station))
        {
            info["reports"] = MakeBoxContainer(statistics->TakeReports());
            info["ideal"] = int64_t{manager->GetIdealRow()};
            info["seed"] = int64_t{RngSeedManager::GetSeed()};
            info["run"] = int64_t(RngSeedManager::GetRun());
            info["stream"] = RateNetwork::GetManagerStream(station);
        }
    }

    /**
     * @return infos of all stations
     */
    OpenGymInfo ReportAll() const
    {
        int64_t receivedBytes = 0;
        std::map<std::string, std::vector<double>> values;
        for (uint32_t i = 0; i < m_parameters.stations; i++)
        {
            const auto statistics = m_network->GetStatistics(i);
            const auto& state = statistics->Get();
            receivedBytes += m_network->GetStation(i)->GetCounts().delivered * m_parameters.payload;
            values["rate"].push_back(state.row);
            values["data_rate"].push_back(statistics->GetTable().GetRows()[state.row].dataRate /
                                          1e6);
            values["snr"].push_back(state.snr);
            values["distance"].push_back(m_network->GetDistance(i));
            const auto manager = m_network->GetManager(i);
            if (m_details && manager)
            {
                values["ideal"].push_back(manager->GetIdealRow());
            }
        }
        OpenGymInfo info{{"received_bytes", receivedBytes}, {"data_rates", ListDataRates()}};
        for (auto& [name, each] : values)
        {
            info[name] = MakeBoxContainer(std::move(each));
        }
        return info;
    }

    /**
     * @return the data rates of the table, in bit/s
     */
    Ptr<OpenGymBoxContainer<double>> ListDataRates() const
    {
        std::vector<double> dataRates;
        for (const auto& row : m_network->GetStatistics(0)->GetTable().GetRows())
        {
            dataRates.push_back(row.dataRate);
        }
        return MakeBoxContainer(std::move(dataRates));
    }

    NetworkParameters m_parameters;         //!< The properties of the network
    std::string m_control{"interval"};      //!< Kind: per_frame, interval
    Time m_interval{MilliSeconds(50)};      //!< Interval between two decisions
    std::string m_observation{"counts"};    //!< Kind: counts, smoothed
    Time m_memory{Seconds(1)};              //!< Time constant of smoothed counts
    std::string m_reward{"cooperative"};    //!< Kind: cooperative, competitive
    bool m_details{true};                   //!< Whether infos have ns-3's knowledge
    std::unique_ptr<RateNetwork> m_network; //!< The network
    std::optional<RateRewards> m_rewards;   //!< Rewards of the stations
};

} // namespace

int
main(int argc, char* argv[])
{
    WifiRateControlEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
