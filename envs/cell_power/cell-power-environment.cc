// SPDX-License-Identifier: GPL-2.0-only

// LTE cells share a carrier, and agents choose their transmit power; see card.md.

#include "environment-program.h"
#include "environment.h"
#include "lte-cells.h"
#include "lte-meter.h"
#include "neighbour-links.h"
#include "power-agent-app.h"
#include "power-rewards.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MOST_CELLS = 19;
constexpr uint32_t MOST_USERS = 30;   // of a cell: each has a subframe for its sounding signal
constexpr double NEIGHBOURHOOD = 1.1; // in spacings of neighbouring cells, with a margin

/**
 * @brief LTE cells on one carrier, whose transmit power agents choose.
 */
class CellPowerEnvironment : public Environment
{
  public:
    CellPowerEnvironment()
        : Environment(
              {.scenario = "cell_power", .device = "cell", .accesses = {"point-to-point", "csma"}})
    {
        m_lte.shadowing = 6;
        m_deployment.placement = "local";
    }

    uint32_t CountDevices() const override
    {
        return m_cellCount;
    }

    NodeContainer BuildDevices() override
    {
        m_lte.power = m_choice.largest;
        m_cells.emplace(m_lte, m_cellCount, m_cellCount * m_usersPerCell, true);
        m_meter.emplace(*m_cells, m_interval);
        m_rewards.emplace(m_worth, *m_cells, *m_meter, m_lte.demand, m_choice.largest);
        return m_cells->GetNodes();
    }

    NodeContainer MakeAgentNodes(uint32_t agents) override
    {
        m_agentNodes = Environment::MakeAgentNodes(agents);
        return m_agentNodes;
    }

    void StartDevices() override
    {
        if (m_messages)
        {
            m_neighbours.emplace(m_links, m_deployment.transport, FindNeighbours());
            m_neighbours->Build(m_deployment.placement == "local" ? m_cells->GetNodes()
                                                                  : m_agentNodes);
        }
        m_cells->AwaitConnection(m_interval);
        m_meter->Measure();
        m_cells->Start();
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        auto reward =
            CreateObject<CallableRewardApplication>(m_interval, [this, device]() -> double {
                m_meter->Measure();
                const double earned = m_rewards->Get(device);
                return IsCentral() ? earned / m_cellCount : earned;
            });
        auto action = CreateObject<CallableActionApplication>(
            [this, device](Ptr<OpenGymDataContainer> chosen) {
                const auto power = m_choice.Read(chosen, IsCentral() ? device : 0);
                m_cells->GetCellPhy(device)->SetTxPower(power);
            });
        return {.observation = MakeObservation(device), .reward = reward, .action = action};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        auto application = CreateObject<PowerAgentApp>(
            m_interval,
            m_choice,
            agent,
            std::vector<uint32_t>(IsCentral() ? m_cellCount : 1, m_usersPerCell));
        if (m_messages)
        {
            application->SetNeighbours(m_neighbours->GetNeighbours(agent));
        }
        const auto cell = IsCentral() ? std::nullopt : std::optional(agent);
        application->SetReport([this, cell] { return Report(cell); });
        return application;
    }

    void NotifyDeployed(const RlApplicationContainer& agents) override
    {
        if (m_neighbours)
        {
            m_neighbours->Connect(agents);
        }
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        DeclareCells(simulation);
        m_lte.Declare(simulation);
        DeclareRewards(simulation);
        DeclareLinks(simulation);
        simulation.AddWarmUp([] {
            const LteParameters parameters;
            LteCells cells(parameters, 2, 2, true);
            const LteMeter meter(cells, MilliSeconds(100));
        });
    }

    std::string FindContradiction() const override
    {
        std::ostringstream fault;
        const auto lteFault = m_lte.FindContradiction();
        if (!lteFault.empty())
        {
            return lteFault;
        }
        if (m_choice.least >= m_choice.largest)
        {
            fault << "min_power=" << m_choice.least
                  << " is not below max_power=" << m_choice.largest;
        }
        else if (m_lte.movement == "away" && m_lte.userDistance == 0)
        {
            fault << "movement=away needs an initial distance: set user_distance";
        }
        else
        {
            fault << FindDecisionFault(m_interval, m_worth.kind);
        }
        return fault.str().empty() ? FindLinkFault() : fault.str();
    }

    /// Declare cells, users @param simulation run
    void DeclareCells(RlSimulation& simulation)
    {
        simulation.AddValue("cells", "Number of cells.", m_cellCount, 1U, MOST_CELLS);
        simulation.AddValue("users_per_cell", "Users of each.", m_usersPerCell, 1U, MOST_USERS);
        simulation.AddChoice("movement",
                             "Whether users stay, walk around their cell from point to point, or "
                             "move away from it for ever.",
                             m_lte.movement,
                             {"still", "walk", "away"});
        simulation.AddValue("user_distance",
                            "Distance of each user from its cell at the start in m, to the east; "
                            "0: random positions around the cell.",
                            m_lte.userDistance,
                            0.,
                            10000.);
        simulation.AddValue("min_power", "Least transmit power in dBm.", m_choice.least, -40., 46.);
        simulation.AddValue("max_power",
                            "Largest transmit power in dBm, which is also the initial power.",
                            m_choice.largest,
                            -40.,
                            46.);
        simulation.AddValue("levels",
                            "Number of discrete actions, one for each power.",
                            m_choice.levels,
                            2U,
                            100U);
        simulation.AddChoice("action_space",
                             "Kind of actions: a level of power, or a power in dBm.",
                             m_choice.actionSpace,
                             {"discrete", "continuous"});
        simulation.AddValue("interval",
                            "Time between two decisions.",
                            m_interval,
                            MilliSeconds(1),
                            Seconds(10));
    }

    /// Declare prices @param simulation run
    void DeclareRewards(RlSimulation& simulation)
    {
        simulation.AddChoice("reward",
                             "Reward of an agent: the mean over all cells, or over its own cells.",
                             m_worth.kind,
                             {"cooperative", "competitive"});
        simulation.AddValue("target_sinr",
                            "Target SINR of users in dB; a lower SINR has a price.",
                            m_worth.targetSinr,
                            -20.,
                            60.);
        simulation.AddValue("sinr_weight",
                            "Price of 10 dB below the target.",
                            m_worth.sinrWeight,
                            0.,
                            100.);
        simulation.AddValue("throughput_weight",
                            "Value of the whole demand, if it arrives.",
                            m_worth.throughputWeight,
                            0.,
                            100.);
        simulation.AddValue("power_weight",
                            "Price of the largest power in mW.",
                            m_worth.powerWeight,
                            0.,
                            100.);
    }

    /// Declare agents' links @param simulation run
    void DeclareLinks(RlSimulation& simulation)
    {
        simulation.AddValue(
            "messages",
            "Whether agents of neighbouring cells exchange power, worst SINR and load, as over X2.",
            m_messages);
        m_links.Declare(simulation, "message_", "the links between these agents");
    }

    /**
     * @return a fault of messages between agents, or an empty string
     */
    std::string FindLinkFault() const
    {
        if (!m_messages)
        {
            return m_links == LinkParameters()
                       ? ""
                       : "message_delay, message_data_rate and message_loss need messages=true";
        }
        if (IsCentral())
        {
            return "placement=central has one agent without neighbours: messages=true needs "
                   "placement=local or placement=remote";
        }
        return m_cellCount == 1 ? "messages=true needs at least two cells, not cells=1" : "";
    }

    /**
     * @param cell Number of a cell.
     * @return the observation application of the cell's agent
     */
    Ptr<ObservationApplication> MakeObservation(uint32_t cell)
    {
        return CreateObject<CallableObservationApplication>(
            m_interval,
            [this, cell]() -> Ptr<OpenGymDataContainer> {
                m_meter->Measure();
                std::vector<float> report;
                for (uint32_t user = cell; user < m_cells->CountUsers(); user += m_cellCount)
                {
                    report.push_back(m_meter->GetSinr(user));
                }
                report.push_back(m_meter->GetLoad(cell));
                report.push_back(m_cells->GetCellPhy(cell)->GetTxPower());
                return MakeDictContainer("cell", MakeBoxContainer(std::move(report)));
            });
    }

    /**
     * @return pairs of neighbouring cells
     */
    std::vector<NeighbourLinks::Pair> FindNeighbours() const
    {
        std::vector<NeighbourLinks::Pair> pairs;
        for (uint32_t one = 0; one < m_cellCount; one++)
        {
            for (uint32_t other = one + 1; other < m_cellCount; other++)
            {
                const auto distance = CalculateDistance(m_cells->GetCellPosition(one),
                                                        m_cells->GetCellPosition(other));
                if (distance < NEIGHBOURHOOD * m_lte.spacing)
                {
                    pairs.emplace_back(one, other);
                }
            }
        }
        return pairs;
    }

    /**
     * @param cell Number of a cell; none: all.
     * @return the infos
     */
    OpenGymInfo Report(std::optional<uint32_t> cell) const
    {
        OpenGymInfo info;
        m_meter->Describe(info);
        double reward = 0;
        for (uint32_t each = 0; each < m_cellCount; each++)
        {
            reward += m_rewards->GetOwn(each) / m_cellCount;
        }
        std::vector<double> levels;
        for (uint32_t level = 0; level < m_choice.levels; level++)
        {
            levels.push_back(m_choice.GetPower(level));
        }
        info["levels"] = MakeBoxContainer(std::move(levels));
        info["worth"] = reward;
        if (cell)
        {
            info["cell"] = int64_t{*cell};
        }
        return info;
    }

    uint32_t m_cellCount{3};                    //!< Number of cells
    uint32_t m_usersPerCell{2};                 //!< Number of users of each cell
    Time m_interval{MilliSeconds(50)};          //!< Interval between two decisions
    LteParameters m_lte;                        //!< The properties of the cells
    PowerChoice m_choice;                       //!< Choice of powers
    PowerRewardParameters m_worth;              //!< The prices
    bool m_messages{false};                     //!< Agents of neighbouring cells talk
    LinkParameters m_links;                     //!< Links between agents
    NodeContainer m_agentNodes;                 //!< Nodes of agents that are not at their cells
    std::optional<NeighbourLinks> m_neighbours; //!< Connections between agents
    std::optional<LteCells> m_cells;            //!< The network
    std::optional<LteMeter> m_meter;            //!< The measurements
    std::optional<PowerRewards> m_rewards;      //!< The rewards
};

} // namespace

int
main(int argc, char* argv[])
{
    CellPowerEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
