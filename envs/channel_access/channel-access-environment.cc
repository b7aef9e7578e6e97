// SPDX-License-Identifier: GPL-2.0-only

#include "channel-access-environment.h"

#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_CHANNELS = 32;
constexpr uint32_t MOST_RADIOS = 32;
constexpr double BANDWIDTH = 1e6; // of a channel, in Hz

} // namespace

ChannelAccessEnvironment::ChannelAccessEnvironment()
    : SlottedEnvironment("channel_access", "radio", {"local", "remote", "central"})
{
}

void
ChannelAccessEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddValue("channels", "Number of channels.", m_channels, 2U, MOST_CHANNELS);
    simulation.AddValue("radios", "Number of radios.", m_radios, 1U, MOST_RADIOS);
    simulation.AddChoice(
        "interferer",
        "Interferer on one channel in each slot: periodic takes the channels in turn, random takes "
        "a random one, sensing takes the one with the most energy in the last slot.",
        m_pattern,
        {"periodic", "random", "sensing", "none"});
    simulation.AddValue("dwell",
                        "Slots until a periodic or random interferer takes another channel.",
                        m_dwell,
                        1U,
                        1000U);
    simulation.AddValue("activity",
                        "Probability that the interferer sends in a slot.",
                        m_activity,
                        0.,
                        1.);
    simulation.AddValue("interferer_power",
                        "Transmit power of the interferer in dBm; radios have 20.",
                        m_interfererPower,
                        -50.,
                        40.);
    simulation.AddChoice("reward",
                         "Reward of an agent: the mean over all radios, or its own radio's reward.",
                         m_reward,
                         {"cooperative", "competitive"});
    simulation.AddValue("may_wait",
                        "Whether there is an additional action: to stay silent, for a reward of 0.",
                        m_mayWait);
    SlottedEnvironment::Declare(simulation);
    simulation.AddWarmUp([] {
        ChannelAccessEnvironment environment;
        environment.m_pattern = "sensing";
        environment.m_radios = 2;
        environment.BuildDevices();
    });
}

std::string
ChannelAccessEnvironment::FindContradiction() const
{
    if (m_dwell != 1 && (m_pattern == "sensing" || m_pattern == "none"))
    {
        return "interferer=" + m_pattern + " does not use dwell; interferer=periodic and random do";
    }
    if (m_pattern == "none" && (m_activity != 1 || m_interfererPower != ChannelPlan::POWER))
    {
        return "interferer=none does not use activity and interferer_power";
    }
    if (IsCentral() && m_reward == "competitive")
    {
        return "reward=competitive needs an agent for each radio: placement=local or "
               "placement=remote";
    }
    return SlottedEnvironment::FindContradiction();
}

uint32_t
ChannelAccessEnvironment::CountDevices() const
{
    return m_radios;
}

std::vector<SlottedEnvironment::Player>
ChannelAccessEnvironment::BuildPlayers()
{
    const std::vector<double> bandwidths(m_channels, BANDWIDTH);
    MakeAir(std::make_shared<ChannelPlan>(bandwidths)).UseFreeSpace();
    BuildBase();
    std::vector<Player> players;
    for (uint32_t radio = 0; radio < m_radios; radio++)
    {
        players.push_back(BuildRadio(radio));
    }
    if (m_pattern != "none")
    {
        BuildInterferer();
    }
    return players;
}

void
ChannelAccessEnvironment::BuildBase()
{
    const auto node = CreateObject<Node>();
    const auto place = SlottedAir::Place(node, Vector(0, 0, 0));
    m_base = std::make_unique<FrameReceiver>(GetAir(), node);
    for (uint32_t channel = 0; channel < m_channels; channel++)
    {
        m_addresses.push_back(m_base->Listen(channel, place));
    }
}

Vector
ChannelAccessEnvironment::GetPlace(uint32_t number) const
{
    const auto angle = 2 * M_PI * number / (m_radios + 1);
    return {ChannelPlan::DISTANCE * std::cos(angle), ChannelPlan::DISTANCE * std::sin(angle), 0};
}

SlottedEnvironment::Player
ChannelAccessEnvironment::BuildRadio(uint32_t radio)
{
    auto made = MakePlayer(CreateObject<Node>());
    const auto place = SlottedAir::Place(made.node, GetPlace(radio));
    made.sensor->Listen(GetAir(), GetAir().GetPlan().GetWideModel(), place);
    m_senders.push_back(
        std::make_unique<FrameSender>(GetAir(), made.node, place, ChannelPlan::POWER));
    made.player->SetSender(m_channels, [this, radio](uint32_t channel) {
        m_senders[radio]->Send(channel, m_addresses[channel]);
    });
    m_base->Report(m_senders[radio]->GetAddress(),
                   [player = made.player](uint32_t bytes) { player->NotifyDelivered(bytes); });
    return made;
}

void
ChannelAccessEnvironment::BuildInterferer()
{
    const auto node = CreateObject<Node>();
    const auto place = SlottedAir::Place(node, GetPlace(m_radios));
    m_interferer = CreateObject<Interferer>(m_pattern, m_dwell, m_activity);
    m_interferer->Install(GetAir(), node, place, m_interfererPower);
    node->AggregateObject(m_interferer);
}

void
ChannelAccessEnvironment::StartDevices()
{
    if (m_interferer)
    {
        m_interferer->Start();
    }
    SlottedEnvironment::StartDevices();
}

void
ChannelAccessEnvironment::Transmit()
{
    if (m_interferer)
    {
        m_interferer->Transmit();
    }
    SlottedEnvironment::Transmit();
}

uint32_t
ChannelAccessEnvironment::CountActions(uint32_t player) const
{
    return m_channels + (m_mayWait ? 1 : 0);
}

double
ChannelAccessEnvironment::GetOutcome(uint32_t radio) const
{
    const auto& player = *GetPlayers()[radio].player;
    if (player.GetSetting() == SlotPlayer::SILENT)
    {
        return 0;
    }
    return player.GetDelivered() > 0 ? 1 : -1;
}

double
ChannelAccessEnvironment::GetReward(uint32_t player) const
{
    if (m_reward == "competitive")
    {
        return GetOutcome(player);
    }
    if (IsCentral())
    {
        return GetOutcome(player) / m_radios; // the agent adds the rewards of all radios
    }
    double sum = 0;
    for (uint32_t radio = 0; radio < m_radios; radio++)
    {
        sum += GetOutcome(radio);
    }
    return sum / m_radios;
}

} // namespace ns3
