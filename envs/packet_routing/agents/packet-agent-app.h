// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_AGENT_APP_H
#define PACKET_AGENT_APP_H

#include "router-agent-app.h"

namespace ns3
{

/**
 * @brief Chooses the port for each packet that comes to its router, within the call in which IP
 * asks for a route.
 *
 * Observation: Box of float32, with D the greatest number of links of a router: the packet's
 * destination, links that it has crossed, for each port how long a packet would wait (s), for each
 * whether its link works. With observation=link-state, for each the delay to the destination
 * without queues (s). With messages, for each the known delay of packets for the destination at
 * the neighbour (s). Action: Discrete(D), the number of a port; a port that
 * there is not, or whose link has failed, loses the packet.
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
