// SPDX-License-Identifier: GPL-2.0-only

// Two links whose settings disturb each other cyclically; see card.md.

#include "environment-program.h"
#include "radio-game.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/propagation-loss-model.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr double BANDWIDTH = 1e6; // in Hz
constexpr double REACHED = 80;    // loss between antennas that reach each other, in dB
constexpr double APART = 200;     // loss between other antennas
constexpr double MOST_LOSS = 150; // largest loss of simulated signals
constexpr uint32_t ANTENNAS = 3;

/**
 * @brief Two links on one channel, with three antennas at either end.
 *
 * The frames of a link's antenna i reach antenna i of its receiver, and interfere at antenna i + 1
 * (the first one after the last) of the other link's receiver.
 */
class ChannelRps : public RadioGame
{
  public:
    ChannelRps()
        : RadioGame("channel_rps", true)
    {
    }

  private:
    using Antennas = std::array<Ptr<MobilityModel>, ANTENNAS>; //!< Antennas of a node

    /// Both ends of a link.
    struct Link
    {
        Antennas sending;                        //!< Antennas of the sender
        Antennas receiving;                      //!< Antennas of the receiver
        std::unique_ptr<FrameReceiver> receiver; //!< Receiver with all antennas
    };

    void Declare(RlSimulation& simulation) override
    {
        RadioGame::Declare(simulation);
        simulation.AddWarmUp([] { ChannelRps().BuildDevices(); });
    }

    std::vector<Ptr<SlotRadio>> BuildRadios() override
    {
        m_air = std::make_unique<SlottedAir>(m_slot, std::vector<double>{BANDWIDTH});
        m_air->GetMedium()->SetAttribute("MaxLossDb", DoubleValue(MOST_LOSS));
        double x = 0;
        for (auto& link : m_links)
        {
            PlaceAntennas(link.sending, x++);
            PlaceAntennas(link.receiving, x++);
        }
        const auto loss = CreateObject<MatrixPropagationLossModel>();
        loss->SetDefaultLoss(APART);
        Connect(*loss);
        m_air->GetMedium()->AddPropagationLossModel(loss);
        return {BuildLink(m_links[0]), BuildLink(m_links[1])};
    }

    /**
     * Place the antennas of a node side by side.
     *
     * @param antennas The antennas.
     * @param x Position of the node, in m.
     */
    static void PlaceAntennas(Antennas& antennas, double x)
    {
        double y = 0;
        for (auto& antenna : antennas)
        {
            // The matrix has the losses, but ns-3 would ignore it for two nodes at one position.
            antenna = CreateObject<ConstantPositionMobilityModel>();
            antenna->SetPosition(Vector(x, y++, 0));
        }
    }

    /**
     * Set the losses between all antennas.
     *
     * @param loss Model to configure.
     */
    void Connect(MatrixPropagationLossModel& loss) const
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

    /**
     * @param link Antennas of a link.
     * @return the radio of the link
     */
    Ptr<SlotRadio> BuildLink(Link& link)
    {
        const auto radio = MakeRadio();
        link.receiver = std::make_unique<FrameReceiver>(*m_air, CreateObject<Node>());
        for (uint32_t antenna = 0; antenna < ANTENNAS; antenna++)
        {
            const auto& place = link.sending[antenna];
            radio->Listen(place);
            radio->SendFrames(place,
                              *link.receiver,
                              {link.receiver->Listen(0, link.receiving[antenna])});
        }
        return radio;
    }

    uint32_t Answer(uint32_t player, uint32_t sensed) override
    {
        return (sensed + ANTENNAS - 1) % ANTENNAS;
    }

    double GetReward(uint32_t player) const override
    {
        const int own = m_radios[player]->GetDelivered() > 0;
        const int other = m_radios[1 - player]->GetDelivered() > 0;
        return own - other;
    }

    OpenGymInfo Report(uint32_t player) const override
    {
        auto info = RadioGame::Report(player);
        info["role"] = "radio";
        return info;
    }

    std::array<Link, PLAYERS> m_links; //!< Links of both players
};

} // namespace

int
main(int argc, char* argv[])
{
    ChannelRps environment;
    return RunEnvironment(argc, argv, environment);
}
