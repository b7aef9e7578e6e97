// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_RPS_ENVIRONMENT_H
#define CHANNEL_RPS_ENVIRONMENT_H

#include "duel-environment.h"
#include "frame-receiver.h"
#include "frame-sender.h"

#include "ns3/propagation-loss-model.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Two links on one channel, with three antennas at either end.
 *
 * The frames of a link's antenna i reach antenna i of its receiver, and interfere at antenna i + 1
 * (the first one after the last) of the other link's receiver.
 */
class ChannelRpsEnvironment : public DuelEnvironment
{
  public:
    ChannelRpsEnvironment();

  private:
    static constexpr uint32_t ANTENNAS = 3;

    using Antennas = std::array<Ptr<MobilityModel>, ANTENNAS>; //!< Antennas of a node

    /// Both ends of a link.
    struct Link
    {
        Antennas sending;                                           //!< Antennas of the sender
        Antennas receiving;                                         //!< Antennas of the receiver
        std::array<std::unique_ptr<FrameSender>, ANTENNAS> senders; //!< Senders by antenna
        std::unique_ptr<FrameReceiver> receiver;                    //!< Receiver with all antennas
        std::array<Address, ANTENNAS> addresses;                    //!< Addresses by antenna
    };

    void Declare(RlSimulation& simulation) override;
    std::vector<Player> BuildPlayers() override;
    uint32_t CountActions(uint32_t player) const override;
    double GetReward(uint32_t player) const override;
    OpenGymInfo Report(uint32_t player) const override;
    uint32_t CountSettings(uint32_t player) const override;
    uint32_t Answer(uint32_t player, uint32_t sensed) override;

    /**
     * @param number Number of a link.
     * @return the player of the link
     */
    Player BuildLink(uint32_t number);

    /**
     * Place the antennas of a node side by side.
     *
     * @param antennas The antennas.
     * @param x Position of the node, in m.
     */
    static void PlaceAntennas(Antennas& antennas, double x);

    /**
     * Set the losses between all antennas.
     *
     * @param loss Model to configure.
     */
    void Connect(MatrixPropagationLossModel& loss) const;

    std::array<Link, PLAYERS> m_links; //!< Links of both players
};

} // namespace ns3

#endif // CHANNEL_RPS_ENVIRONMENT_H
