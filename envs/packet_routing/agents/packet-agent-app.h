// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_AGENT_APP_H
#define PACKET_AGENT_APP_H

#include "router-agent-app.h"

namespace ns3
{

/**
 * @brief Chooses the port for each packet at its router, within IP's call for a route.
 *
 * Observation: Box of float32, with D the greatest number of links of a router. It has the packet's
 * destination, the number of links that it has crossed, the waiting time of a packet at each port
 * (s), and for each port whether its link works. With observation=link-state it also has, for each
 * port, the delay to the destination without queues (s). With messages it also has, for each port,
 * the known delay of packets for the destination at the neighbour (s). Action: Discrete(D), the
 * number of a port; a missing port, or one whose link has failed, loses the packet.
 */
class PacketAgentApp : public RouterAgentApp
{
  public:
    using RouterAgentApp::RouterAgentApp;

    std::optional<uint32_t> Choose(const RoutedPacket& packet) override;

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
};

} // namespace ns3

#endif // PACKET_AGENT_APP_H
