// SPDX-License-Identifier: GPL-2.0-only

#include "slotted-environment.h"

#include "slot-agent-app.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <sstream>
#include <utility>

namespace ns3
{

SlottedEnvironment::SlottedEnvironment(const std::string& scenario,
                                       const std::string& device,
                                       const std::vector<std::string>& placements)
    : Environment({.scenario = scenario,
                   .device = device,
                   .placements = placements,
                   .accesses = {"point-to-point", "csma"}})
{
    m_deployment.placement = placements.front();
    m_deployment.duration = MilliSeconds(100);
}

void
SlottedEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddValue("slot",
                        "Length of a slot, in which each player sends one frame.",
                        m_slot,
                        MicroSeconds(100),
                        Seconds(1));
    simulation.AddValue("history", "Number of past slots in an observation.", m_history, 1U, 1000U);
    simulation.AddValue("observe_actions",
                        "Whether an observation also has the actions of these slots.",
                        m_observeActions);
}

std::string
SlottedEnvironment::FindContradiction() const
{
    std::ostringstream fault;
    if (m_deployment.duration < m_slot)
    {
        fault << "duration=" << m_deployment.duration.As(Time::MS)
              << " is shorter than slot=" << m_slot.As(Time::MS) << ", in which one frame is sent";
    }
    return fault.str();
}

NodeContainer
SlottedEnvironment::BuildDevices()
{
    m_players = BuildPlayers();
    NodeContainer nodes;
    for (uint32_t device = 0; device < CountDevices(); device++)
    {
        nodes.Add(m_players.at(GetFirstPlayer() + device).node);
    }
    return nodes;
}

void
SlottedEnvironment::StartDevices()
{
    for (const auto& each : m_players)
    {
        each.sensor->Start();
    }
    m_air->Start([this] { Transmit(); });
}

void
SlottedEnvironment::Transmit()
{
    for (const auto& each : m_players)
    {
        each.player->Transmit();
    }
}

DeviceApplications
SlottedEnvironment::MakeApplications(uint32_t device)
{
    const auto number = GetFirstPlayer() + device;
    const auto& [node, player, sensor] = m_players.at(number);
    auto observation = CreateObject<CallableObservationApplication>(
        sensor,
        "Measured",
        [this, number](const std::vector<float>&) -> Ptr<OpenGymDataContainer> {
            return MakeDictContainer("sample", MakeBoxContainer(Measure(number)));
        });
    auto reward = CreateObject<CallableRewardApplication>(m_slot, [this, number]() -> double {
        return GetReward(number);
    });
    auto action = CreateObject<CallableActionApplication>(
        [chooser = player](Ptr<OpenGymDataContainer> chosen) {
            chooser->Choose(chosen->GetObject<OpenGymDiscreteContainer>()->GetValue());
        });
    return {.observation = observation, .reward = reward, .action = action};
}

Ptr<AgentApplication>
SlottedEnvironment::MakeAgent(uint32_t agent)
{
    const auto player = GetFirstPlayer() + agent;
    const auto made = CreateObject<SlotAgentApp>(
        GetDevicesOf(agent),
        m_slot,
        SlotChoice{.actions = CountActions(player),
                   .sampleSize = static_cast<uint32_t>(Measure(player).size()),
                   .history = m_history,
                   .observesActions = m_observeActions});
    made->SetReport([this, player] { return Report(player); });
    return made;
}

uint32_t
SlottedEnvironment::GetFirstPlayer() const
{
    return 0;
}

std::vector<float>
SlottedEnvironment::Measure(uint32_t player) const
{
    return m_players.at(player).sensor->GetObservation();
}

OpenGymInfo
SlottedEnvironment::Report(uint32_t player) const
{
    if (!IsCentral())
    {
        const auto& [node, sender, sensor] = m_players.at(player);
        return {{"channels", int64_t(sensor->GetLevels().size())},
                {"channel", int64_t{sender->GetSetting()}},
                {"success", int64_t{sender->GetDelivered() > 0}},
                {"energy", MakeBoxContainer(sensor->GetLevels())}};
    }
    std::vector<int32_t> channels;
    std::vector<int32_t> successes;
    std::vector<float> energy;
    for (const auto& [node, sender, sensor] : m_players)
    {
        channels.push_back(sender->GetSetting());
        successes.push_back(sender->GetDelivered() > 0);
        energy.insert(energy.end(), sensor->GetLevels().begin(), sensor->GetLevels().end());
    }
    return {{"channels", int64_t(energy.size() / m_players.size())},
            {"channel", MakeBoxContainer(std::move(channels))},
            {"success", MakeBoxContainer(std::move(successes))},
            {"energy", MakeBoxContainer(std::move(energy))}};
}

const std::vector<SlottedEnvironment::Player>&
SlottedEnvironment::GetPlayers() const
{
    return m_players;
}

const SlottedAir&
SlottedEnvironment::GetAir() const
{
    return *m_air;
}

SlottedAir&
SlottedEnvironment::MakeAir(std::shared_ptr<const ChannelPlan> plan)
{
    m_air = std::make_unique<SlottedAir>(std::move(plan), m_slot);
    return *m_air;
}

SlottedEnvironment::Player
SlottedEnvironment::MakePlayer(Ptr<Node> node)
{
    const Player made{node, CreateObject<SlotPlayer>(), CreateObject<EnergySensor>()};
    node->AggregateObject(made.player);
    made.sensor->Install(node);
    return made;
}

Time
SlottedEnvironment::GetSlot() const
{
    return m_slot;
}

uint64_t
SlottedEnvironment::CountSlots() const
{
    return m_deployment.duration.GetNanoSeconds() / m_slot.GetNanoSeconds();
}

} // namespace ns3
