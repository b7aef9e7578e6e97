// SPDX-License-Identifier: GPL-2.0-only

#include "duel-environment.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr int64_t STREAM = 200000; // after those of access networks

} // namespace

DuelEnvironment::DuelEnvironment(const std::string& scenario)
    : SlottedEnvironment(scenario, "radio", {"local", "remote"})
{
}

void
DuelEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddChoice("opponent",
                         "Opponent: a second agent, a random player (random), or a player of the "
                         "best response to the agent's last sensed action (sensing).",
                         m_opponent,
                         {"agent", "random", "sensing"});
    SlottedEnvironment::Declare(simulation);
}

uint32_t
DuelEnvironment::CountDevices() const
{
    return HasOpponent() ? 1 : PLAYERS;
}

bool
DuelEnvironment::HasOpponent() const
{
    return m_opponent != "agent";
}

void
DuelEnvironment::Transmit()
{
    if (HasOpponent())
    {
        const auto opponent = 1 - GetFirstPlayer();
        GetPlayers()[opponent].player->Choose(ChooseFor(opponent));
    }
    SlottedEnvironment::Transmit();
}

uint32_t
DuelEnvironment::ChooseFor(uint32_t player)
{
    const auto& sensor = *GetPlayers()[player].sensor;
    const auto& levels = sensor.GetLevels();
    const auto most = std::max_element(levels.begin(), levels.end());
    if (m_opponent == "sensing" && *most >= EnergySensor::LEAST_SIGNAL)
    {
        return Answer(player, most - levels.begin());
    }
    return Draw(CountSettings(player) - 1);
}

uint32_t
DuelEnvironment::Draw(uint32_t most)
{
    if (!m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(STREAM);
    }
    return m_random->GetInteger(0, most);
}

} // namespace ns3
