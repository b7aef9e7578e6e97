// SPDX-License-Identifier: GPL-2.0-only

#include "channel-rps-environment.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"

namespace ns3
{

namespace
{

constexpr double BANDWIDTH = 1e6; // in Hz
constexpr double REACHED = 80;    // loss between antennas that reach each other, in dB
constexpr double APART = 200;     // loss between other antennas
constexpr double MOST_LOSS = 150; // largest loss of simulated signals

} // namespace

ChannelRpsEnvironment::ChannelRpsEnvironment()
    : DuelEnvironment("channel_rps")
{
}

void
ChannelRpsEnvironment::Declare(RlSimulation& simulation)
{
    DuelEnvironment::Declare(simulation);
    simulation.AddWarmUp([] { ChannelRpsEnvironment().BuildDevices(); });
}

std::vector<SlottedEnvironment::Player>
ChannelRpsEnvironment::BuildPlayers()
{
    auto& air = MakeAir(std::make_shared<ChannelPlan>(std::vector<double>{BANDWIDTH}));
    air.GetAir()->SetAttribute("MaxLossDb", DoubleValue(MOST_LOSS));
    double x = 0;
    for (auto& link : m_links)
    {
        PlaceAntennas(link.sending, x++);
        PlaceAntennas(link.receiving, x++);
    }
    const auto loss = CreateObject<MatrixPropagationLossModel>();
    loss->SetDefaultLoss(APART);
    Connect(*loss);
    air.GetAir()->AddPropagationLossModel(loss);
    return {BuildLink(0), BuildLink(1)};
}

void
ChannelRpsEnvironment::PlaceAntennas(Antennas& antennas, double x)
{
    double y = 0;
    for (auto& antenna : antennas)
    {
        // The matrix has the losses, but ns-3 would ignore it for two nodes at one position.
        antenna = CreateObject<ConstantPositionMobilityModel>();
        antenna->SetPosition(Vector(x, y++, 0));
    }
}

void
ChannelRpsEnvironment::Connect(MatrixPropagationLossModel& loss) const
{
    for (uint32_t link = 0; link < PLAYERS; link++)
    {
        const auto& own = m_links[link];
        const auto& other = m_links[1 - link];
        for (uint32_t antenna = 0; antenna < ANTENNAS; antenna++)
        {
            const auto& from = own.sending[antenna];
            const auto beaten = (antenna + 1) % ANTENNAS;
            loss.SetLoss(from, own.receiving[antenna], REACHED, false);
            loss.SetLoss(from, other.receiving[beaten], REACHED, false);
            loss.SetLoss(from, other.sending[antenna], REACHED, false); // with this sensor
        }
    }
}

SlottedEnvironment::Player
ChannelRpsEnvironment::BuildLink(uint32_t number)
{
    auto& link = m_links[number];
    auto made = MakePlayer(CreateObject<Node>());
    link.receiver = std::make_unique<FrameReceiver>(GetAir(), CreateObject<Node>());
    for (uint32_t antenna = 0; antenna < ANTENNAS; antenna++)
    {
        const auto& place = link.sending[antenna];
        link.senders[antenna] =
            std::make_unique<FrameSender>(GetAir(), made.node, place, ChannelPlan::POWER);
        link.addresses[antenna] = link.receiver->Listen(0, link.receiving[antenna]);
        link.receiver->Report(
            link.senders[antenna]->GetAddress(),
            [player = made.player](uint32_t bytes) { player->NotifyDelivered(bytes); });
        made.sensor->Listen(GetAir(), GetAir().GetPlan().GetWideModel(), place);
    }
    made.player->SetSender(ANTENNAS, [&link](uint32_t antenna) {
        link.senders[antenna]->Send(0, link.addresses[antenna]);
    });
    return made;
}

uint32_t
ChannelRpsEnvironment::CountActions(uint32_t player) const
{
    return ANTENNAS;
}

uint32_t
ChannelRpsEnvironment::CountSettings(uint32_t player) const
{
    return ANTENNAS;
}

uint32_t
ChannelRpsEnvironment::Answer(uint32_t player, uint32_t sensed)
{
    return (sensed + ANTENNAS - 1) % ANTENNAS;
}

double
ChannelRpsEnvironment::GetReward(uint32_t player) const
{
    const auto& players = GetPlayers();
    const int own = players[player].player->GetDelivered() > 0;
    const int other = players[1 - player].player->GetDelivered() > 0;
    return own - other;
}

OpenGymInfo
ChannelRpsEnvironment::Report(uint32_t player) const
{
    auto info = DuelEnvironment::Report(player);
    info["role"] = "radio";
    return info;
}

} // namespace ns3
