// SPDX-License-Identifier: GPL-2.0-only

#include "jamming-environment.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t TRANSMITTER = 0; // number of the player
constexpr uint32_t JAMMER = 1;
constexpr uint32_t MOST_CHANNELS = 32;
constexpr double LEAST_BANDWIDTH = 0.1; // in MHz
constexpr double MOST_BANDWIDTH = 100;
constexpr double MOST_LOSS = 60; // in dB

} // namespace

JammingEnvironment::JammingEnvironment()
    : DuelEnvironment("jamming")
{
}

void
JammingEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddValue("channels", "Number of channels.", m_channels, 2U, MOST_CHANNELS);
    simulation.AddValue(
        "bandwidths",
        "Bandwidths of the channels in MHz, each 0.1 to 100, such as 9,6,4; empty: 1 each.",
        m_bandwidths);
    simulation.AddValue("path_losses",
                        "Losses of the channels in dB, each 0 to 60, in addition to free space, "
                        "such as 0,10,20; empty: none.",
                        m_losses);
    simulation.AddValue("jammer_power",
                        "Transmit power of the jammer in dBm; the transmitter has 20.",
                        m_jammerPower,
                        -50.,
                        40.);
    simulation.AddValue(
        "budget",
        "Share of an episode's slots for which the jammer has energy; below 1 it has an additional "
        "action, to stay silent, and observes its remaining energy.",
        m_budget,
        0.,
        1.);
    simulation.AddChoice("role",
                         "Role of the agent against an opponent without an agent.",
                         m_role,
                         {"transmitter", "jammer"});
    DuelEnvironment::Declare(simulation);
    simulation.AddWarmUp([] { JammingEnvironment().BuildDevices(); });
}

std::shared_ptr<ChannelPlan>
JammingEnvironment::MakePlan() const
{
    std::vector<double> widths;
    std::vector<double> losses;
    const bool read = ReadNumbers(m_bandwidths, LEAST_BANDWIDTH, MOST_BANDWIDTH, widths) &&
                      ReadNumbers(m_losses, 0, MOST_LOSS, losses);
    if (widths.empty())
    {
        widths.resize(m_channels, 1);
    }
    losses.resize(losses.empty() ? m_channels : losses.size());
    if (!read || widths.size() != m_channels || losses.size() != m_channels)
    {
        return nullptr;
    }
    for (auto& width : widths)
    {
        width *= 1e6;
    }
    return std::make_shared<ChannelPlan>(widths, losses);
}

std::string
JammingEnvironment::FindContradiction() const
{
    const auto plan = MakePlan();
    std::ostringstream fault;
    if (!plan)
    {
        fault << "bandwidths=" << m_bandwidths << " and path_losses=" << m_losses
              << " must each be empty, or have a number for each of channels=" << m_channels
              << ", with commas between them: bandwidths from " << LEAST_BANDWIDTH << " to "
              << MOST_BANDWIDTH << " MHz, path_losses from 0 to " << MOST_LOSS << " dB";
        return fault.str();
    }
    const SlottedAir air(plan, GetSlot());
    for (uint32_t channel = 0; channel < m_channels; channel++)
    {
        if (SlottedAir::GetPayload(air.GetFrameSize(channel)) == 0)
        {
            fault << "channel " << channel
                  << " cannot carry a frame in a slot; give it a larger bandwidth, or a smaller "
                     "path loss";
            return fault.str();
        }
    }
    if (m_role == "jammer" && !HasOpponent())
    {
        return "role=jammer is for opponent=random or sensing; with opponent=agent, each role has "
               "an agent";
    }
    return DuelEnvironment::FindContradiction();
}

uint32_t
JammingEnvironment::GetFirstPlayer() const
{
    return HasOpponent() && m_role == "jammer" ? JAMMER : TRANSMITTER;
}

std::vector<SlottedEnvironment::Player>
JammingEnvironment::BuildPlayers()
{
    MakeAir(MakePlan()).UseFreeSpace();
    return {BuildTransmitter(), BuildJammer()};
}

SlottedEnvironment::Player
JammingEnvironment::BuildTransmitter()
{
    const auto base = CreateObject<Node>();
    const auto center = SlottedAir::Place(base, Vector(0, 0, 0));
    m_base = std::make_unique<FrameReceiver>(GetAir(), base);
    for (uint32_t channel = 0; channel < m_channels; channel++)
    {
        const auto payload = SlottedAir::GetPayload(GetAir().GetFrameSize(channel));
        m_addresses.push_back(m_base->Listen(channel, center));
        m_mostPayload = std::max(m_mostPayload, payload);
        m_goodputs.push_back(ToGoodput(payload));
    }
    auto made = MakePlayer(CreateObject<Node>());
    const auto place = SlottedAir::Place(made.node, Vector(ChannelPlan::DISTANCE, 0, 0));
    made.sensor->Listen(GetAir(), GetAir().GetPlan().GetWideModel(), place);
    m_sender = std::make_unique<FrameSender>(GetAir(), made.node, place, ChannelPlan::POWER);
    made.player->SetSender(m_channels, [this](uint32_t channel) {
        m_sender->Send(channel, m_addresses[channel]);
    });
    m_base->Report(m_sender->GetAddress(),
                   [player = made.player](uint32_t bytes) { player->NotifyDelivered(bytes); });
    return made;
}

SlottedEnvironment::Player
JammingEnvironment::BuildJammer()
{
    auto made = MakePlayer(CreateObject<Node>());
    const auto place = SlottedAir::Place(made.node, Vector(-ChannelPlan::DISTANCE, 0, 0));
    made.sensor->Listen(GetAir(), GetAir().GetPlan().GetWideModel(), place);
    m_jammer = std::make_unique<NoiseSender>(GetAir(), made.node, place, m_jammerPower);
    made.player->SetSender(m_channels, [this](uint32_t channel) { m_jammer->Send(channel); });
    if (IsLimited())
    {
        const uint64_t slots = m_budget * CountSlots();
        made.player->SetBudget(std::min<uint64_t>(slots, UINT32_MAX));
    }
    return made;
}

double
JammingEnvironment::ToGoodput(uint32_t payload) const
{
    return payload * 8e-6 / GetSlot().GetSeconds();
}

bool
JammingEnvironment::IsLimited() const
{
    return m_budget < 1;
}

uint32_t
JammingEnvironment::CountSettings(uint32_t player) const
{
    return m_channels;
}

uint32_t
JammingEnvironment::Answer(uint32_t player, uint32_t sensed)
{
    // The transmitter chooses any other channel.
    return player == JAMMER ? sensed : (sensed + 1 + Draw(m_channels - 2)) % m_channels;
}

uint32_t
JammingEnvironment::CountActions(uint32_t player) const
{
    return m_channels + (player == JAMMER && IsLimited() ? 1 : 0);
}

std::vector<float>
JammingEnvironment::Measure(uint32_t player) const
{
    auto measured = DuelEnvironment::Measure(player);
    if (player == JAMMER && IsLimited())
    {
        measured.push_back(GetPlayers()[JAMMER].player->GetEnergyLeft());
    }
    return measured;
}

double
JammingEnvironment::GetReward(uint32_t player) const
{
    const double delivered = GetPlayers()[TRANSMITTER].player->GetDelivered();
    return (player == TRANSMITTER ? 1 : -1) * delivered / m_mostPayload;
}

OpenGymInfo
JammingEnvironment::Report(uint32_t player) const
{
    auto info = DuelEnvironment::Report(player);
    const auto& transmitter = *GetPlayers()[TRANSMITTER].player;
    info["role"] = player == TRANSMITTER ? "transmitter" : "jammer";
    info["success"] = int64_t{transmitter.GetDelivered() > 0};
    info["goodput"] = ToGoodput(transmitter.GetDelivered());
    info["goodputs"] = MakeBoxContainer(m_goodputs);
    if (player == JAMMER && IsLimited())
    {
        info["energy_left"] = GetPlayers()[JAMMER].player->GetEnergyLeft();
    }
    return info;
}

} // namespace ns3
