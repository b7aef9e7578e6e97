// SPDX-License-Identifier: GPL-2.0-only

// Users of LTE cells move, and agents hand them over from cell to cell; see card.md.

#include "environment-program.h"
#include "environment.h"
#include "handover-agent-app.h"
#include "handover-monitor.h"
#include "handover-rewards.h"
#include "lte-cells.h"
#include "lte-meter.h"
#include "neighbour-agent-app.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MOST_CELLS = 19;
constexpr uint32_t MOST_USERS = 30; // in one cell: each has a subframe for its sounding signal

/**
 * @brief LTE users that move, and agents that hand them over from cell to cell.
 *
 * A device is the port of a user's reports and handovers, on a separate node for the user's context
 * in the radio network; or a cell, for all its users.
 */
class HandoverEnvironment : public Environment
{
  public:
    HandoverEnvironment()
        : Environment(
              {.scenario = "handover", .device = "user", .accesses = {"point-to-point", "csma"}})
    {
        m_lte.handover = true;
        m_lte.movement = "walk";
        m_lte.speed = 20;
        m_lte.spacing = 300;
        m_lte.shadowing = 6;
        m_deployment.duration = Seconds(20);
    }

    uint32_t CountDevices() const override
    {
        return HasAgentPerUser() ? m_userCount : m_cellCount;
    }

    NodeContainer BuildDevices() override
    {
        SetBaseline();
        m_cells.emplace(m_lte, m_cellCount, m_userCount, false);
        m_meter.emplace(*m_cells, m_interval);
        m_monitor.emplace(m_cells->GetNetwork(), m_reports);
        m_rewards.emplace(m_worth, *m_monitor, *m_meter, m_userCount, m_lte.demand);
        return HasAgentPerUser() ? NodeContainer(m_userCount) : m_cells->GetNodes();
    }

    void StartDevices() override
    {
        m_cells->AwaitConnection(m_interval);
        m_rewards->Measure();
        m_cells->Start();
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        const auto port =
            HasAgentPerUser() ? m_monitor->GetUserPort(device) : m_monitor->GetCellPort(device);
        return {.observation = CreateObject<CallableObservationApplication>(
                    port,
                    "Report",
                    [this](uint32_t user) { return MakeMessage(user); }),
                .reward = CreateObject<CallableRewardApplication>(m_interval,
                                                                  [this, device]() -> double {
                                                                      m_rewards->Measure();
                                                                      return GetReward(device);
                                                                  }),
                .action = CreateObject<CallableActionApplication>(
                    [this, device](Ptr<OpenGymDataContainer> action) { Execute(device, action); })};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        const bool one = HasAgentPerUser();
        const HandoverAgentParameters parameters{m_reports.kind, m_interval, m_cellCount};
        const auto firstUser = one ? agent : 0;
        const auto users = one ? 1 : m_userCount;
        Ptr<AgentApplication> application;
        if (m_observation == "cells")
        {
            application = CreateObject<HandoverAgentApp>(parameters, firstUser, users);
        }
        else
        {
            application = CreateObject<NeighbourAgentApp>(parameters, firstUser, users);
        }
        application->SetReport([this, agent] { return Report(agent); });
        return application;
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("cells", "Number of cells.", m_cellCount, 2U, MOST_CELLS);
        simulation.AddValue("users", "Number of users.", m_userCount, 1U, MOST_USERS);
        simulation.AddChoice("agents",
                             "Whether each user or each cell has an agent; with placement=central "
                             "one agent has all users.",
                             m_agents,
                             {"user", "cell"});
        simulation.AddValue("power", "Transmit power of cells in dBm.", m_lte.power, -40., 46.);
        m_lte.Declare(simulation);
        m_reports.Declare(simulation);
        simulation.AddChoice(
            "observation",
            "Cells in observations and actions: all cells, by number; or the three neighbours with "
            "the strongest signals, whose changes are observed, too.",
            m_observation,
            {"cells", "neighbours"});
        simulation.AddValue("interval",
                            "Time between two decisions, and between two rewards.",
                            m_interval,
                            MilliSeconds(10),
                            Seconds(10));
        DeclareBaseline(simulation);
        DeclareRewards(simulation);
        simulation.AddWarmUp([] {
            LteParameters parameters;
            parameters.handover = true;
            parameters.shadowing = 1;
            LteCells cells(parameters, 2, 2, false);
            LteMeter meter(cells, MilliSeconds(100));
            const HandoverMonitor monitor(cells.GetNetwork(), {});
        });
    }

    std::string FindContradiction() const override
    {
        const auto lteFault = m_lte.FindContradiction();
        if (!lteFault.empty())
        {
            return lteFault;
        }
        if (IsCentral() && m_agents == "cell")
        {
            return "agents=cell needs placement=local or placement=remote: placement=central has "
                   "one agent for all";
        }
        const auto decisionFault = FindDecisionFault(m_interval, m_worth.kind);
        return decisionFault.empty() ? FindBaselineFault() : decisionFault;
    }

    /// Declare baselines @param simulation run
    void DeclareBaseline(RlSimulation& simulation)
    {
        simulation.AddChoice("algorithm",
                             "Algorithm of handovers: agents, or ns-3's A3-RSRP, ns-3's A2-A4-RSRQ "
                             "or none, whatever the actions are.",
                             m_algorithm,
                             {"agent", "a3_rsrp", "a2_a4_rsrq", "none"});
        simulation.AddValue("serving_threshold",
                            "For a2_a4_rsrq: RSRQ of the serving cell below which another cell is "
                            "searched, in steps of 0.5 dB from -19.5 dB.",
                            m_servingThreshold,
                            0U,
                            34U);
        simulation.AddValue("neighbour_offset",
                            "For a2_a4_rsrq: lead of the neighbour's RSRQ, in steps of 0.5 dB.",
                            m_neighbourOffset,
                            0U,
                            34U);
    }

    /// Declare rewards @param simulation run
    void DeclareRewards(RlSimulation& simulation)
    {
        simulation.AddChoice(
            "reward",
            "Reward of an agent: the mean over all users, or the sum over its own users.",
            m_worth.kind,
            {"cooperative", "competitive"});
        simulation.AddValue(
            "handover_price",
            "Price of a handover; an interval in which all traffic arrives earns 1.",
            m_worth.handoverPrice,
            0.,
            100.);
        simulation.AddValue("failure_price",
                            "Price of a lost radio link, or a failed handover.",
                            m_worth.failurePrice,
                            0.,
                            1000.);
    }

    /// Let ns-3 decide on handovers, if configured
    void SetBaseline()
    {
        if (m_algorithm == "a3_rsrp")
        {
            m_lte.algorithm = "ns3::A3RsrpHandoverAlgorithm";
            Config::SetDefault(m_lte.algorithm + "::Hysteresis", DoubleValue(m_reports.hysteresis));
            Config::SetDefault(m_lte.algorithm + "::TimeToTrigger",
                               TimeValue(m_reports.timeToTrigger));
        }
        else if (m_algorithm == "a2_a4_rsrq")
        {
            m_lte.algorithm = "ns3::A2A4RsrqHandoverAlgorithm";
            Config::SetDefault(m_lte.algorithm + "::ServingCellThreshold",
                               UintegerValue(m_servingThreshold));
            Config::SetDefault(m_lte.algorithm + "::NeighbourCellOffset",
                               UintegerValue(m_neighbourOffset));
        }
    }

    /**
     * @return a fault of the handover algorithm's parameters, or an empty string
     */
    std::string FindBaselineFault() const
    {
        if (m_algorithm != "a2_a4_rsrq" && (m_servingThreshold != 30 || m_neighbourOffset != 1))
        {
            return "serving_threshold and neighbour_offset need algorithm=a2_a4_rsrq";
        }
        return m_reports.FindContradiction(m_algorithm == "a3_rsrp");
    }

    /// @return whether each user has a separate agent
    bool HasAgentPerUser() const
    {
        return m_agents == "user" && !IsCentral();
    }

    /**
     * @param user Number of a user.
     * @return its report, as a message
     */
    Ptr<OpenGymDataContainer> MakeMessage(uint32_t user) const
    {
        const auto& [rsrp, rsrq, order, event] = m_monitor->GetUser(user).report;
        // Users report through their serving cell.
        std::vector<float> message{float(user), float(m_monitor->GetUser(user).last)};
        message.insert(message.end(), rsrp.begin(), rsrp.end());
        message.insert(message.end(), rsrq.begin(), rsrq.end());
        message.insert(message.end(), order.begin(), order.end());
        message.resize(2 + 3 * m_cellCount, -1);
        if (m_reports.kind == "both" || m_observation == "neighbours")
        {
            message.insert(message.end(), {float(event), float(Simulator::Now().GetSeconds())});
        }
        return MakeDictContainer("report", MakeBoxContainer(std::move(message)));
    }

    /**
     * Execute the handovers of an action.
     *
     * @param device Number of the device.
     * @param action Action of the agent.
     */
    void Execute(uint32_t device, Ptr<OpenGymDataContainer> action) const
    {
        if (m_algorithm != "agent")
        {
            return;
        }
        const auto order = [this](uint32_t user, int64_t choice) {
            if (choice > 0)
            {
                m_monitor->HandOver(user, choice - 1);
            }
        };
        if (HasAgentPerUser())
        {
            order(device, action->GetObject<OpenGymDiscreteContainer>()->GetValue());
            return;
        }
        for (uint32_t user = 0; user < m_userCount; user++)
        {
            // A cell hands over only its own users.
            if (m_monitor->GetUser(user).serving == device)
            {
                const auto all = DynamicCast<OpenGymMultiDiscreteContainer>(action);
                order(user,
                      all ? all->GetValue(user)
                          : action->GetObject<OpenGymDiscreteContainer>()->GetValue());
            }
        }
    }

    /**
     * @param device Number of a device.
     * @return the reward of its agent for the last interval
     */
    double GetReward(uint32_t device) const
    {
        if (IsCentral())
        {
            return m_rewards->GetMean() / m_cellCount; // the agent adds the rewards of all cells
        }
        if (m_worth.kind == "cooperative")
        {
            return m_rewards->GetMean();
        }
        return HasAgentPerUser() ? m_rewards->GetOfUser(device) : m_rewards->GetOfCell(device);
    }

    /**
     * @param agent Number of an agent.
     * @return the infos
     */
    OpenGymInfo Report(uint32_t agent) const
    {
        OpenGymInfo info;
        m_meter->Describe(info);
        m_monitor->Describe(info);
        int64_t handovers = 0;
        int64_t failures = 0;
        for (uint32_t user = 0; user < m_userCount; user++)
        {
            handovers += m_monitor->GetUser(user).handovers;
            failures += m_monitor->GetUser(user).failures;
        }
        info["handover_count"] = handovers;
        info["failure_count"] = failures;
        info["worth"] = m_rewards->GetMean();
        info["reports"] = m_reports.kind;
        if (!IsCentral())
        {
            info[m_agents] = int64_t{agent};
        }
        return info;
    }

    uint32_t m_cellCount{4};                  //!< Number of cells
    uint32_t m_userCount{4};                  //!< Number of users
    std::string m_agents{"user"};             //!< Agents: user or cell
    std::string m_observation{"cells"};       //!< Kind: cells or neighbours
    std::string m_algorithm{"agent"};         //!< Algorithm: agent, a3_rsrp, a2_a4_rsrq, none
    uint32_t m_servingThreshold{30};          //!< Threshold of a2_a4_rsrq, in steps of RSRQ
    uint32_t m_neighbourOffset{1};            //!< Offset of a2_a4_rsrq, in steps of RSRQ
    Time m_interval{MilliSeconds(240)};       //!< Interval between two decisions
    LteParameters m_lte;                      //!< Properties of cells
    ReportParameters m_reports;               //!< Reports of users
    HandoverRewardParameters m_worth;         //!< Weights of rewards
    std::optional<LteCells> m_cells;          //!< Simulated network
    std::optional<LteMeter> m_meter;          //!< Traffic meter
    std::optional<HandoverMonitor> m_monitor; //!< Handovers of users
    std::optional<HandoverRewards> m_rewards; //!< Rewards of users
};

} // namespace

int
main(int argc, char* argv[])
{
    HandoverEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
