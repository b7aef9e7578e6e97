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
 * @brief Two links on one channel, of three antennas at either end.
 *
 * The frames of a link with antenna i reach antenna i of its receiver, and antenna i + 1 (the
 * first one after the last) of the other link's receiver: there it disturbs, and is not disturbed.
 */
class ChannelRpsEnvironment : public DuelEnvironment
{
  public:
    ChannelRpsEnvironment();

  private:
    static constexpr uint32_t ANTENNAS = 3;

    using Antennas = std::array<Ptr<MobilityModel>, ANTENNAS>; //!< Of a node

    /// Two ends.
    struct Link
    {
        Antennas sending;                                           //!< At the sender
        Antennas receiving;                                         //!< At the receiver
        std::array<std::unique_ptr<FrameSender>, ANTENNAS> senders; //!< By antenna
        std::unique_ptr<FrameReceiver> receiver;                    //!< Of all its antennas
        std::array<Address, ANTENNAS> addresses;                    //!< By antenna
    };

    void Declare(RlSimulation& simulation) override;
    std::vector<Player> BuildPlayers() override;
    uint32_t CountActions(uint32_t player) const override;
    double GetReward(uint32_t player) const override;
    OpenGymInfo Report(uint32_t player) const override;
    uint32_t CountSettings(uint32_t player) const override;
    uint32_t Answer(uint32_t player, uint32_t heard) override;

    /**
     * @param number Number of a link.
     * @return who sends there
     */
    Player BuildLink(uint32_t number);

    /**
     * Put the antennas of a node beside each other.
     *
     * @param antennas The antennas.
     * @param x Where the node is, in m.
     */
    static void PlaceAntennas(Antennas& antennas, double x);

    /**
     * Say how much of what each antenna sends reaches which other ones.
     *
     * @param loss Called with the report.
     */
    void Connect(MatrixPropagationLossModel& loss) const;

    std::array<Link, PLAYERS> m_links; //!< Both links
};

} // namespace ns3

#endif // CHANNEL_RPS_ENVIRONMENT_H
