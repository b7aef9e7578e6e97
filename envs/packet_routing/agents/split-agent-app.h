// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_AGENT_APP_H
#define SPLIT_AGENT_APP_H

#include "router-agent-app.h"

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{

/**
 * @brief Says once in an epoch how packets are split among the ports of its router, by destination.
 *
 * Observation: Box of float32, with N routers and D the greatest number of links of one. For each
 * port how long a packet would wait (s), for each whether its link works, for each destination how
 * many packets for it have come in the last epoch. With observation=link-state, for each
 * destination and each port the delay (s). With messages, for each destination and each port how
 * long packets wait at the neighbour (s). Action: Box of N x D float32 from 0 to 1, in one axis:
 * with which weight a packet for destination d is sent to port p, at d * D + p. Where no port that
 * works has a weight, those that work are taken alike. Until the first action, ns-3's global
 * routing decides.
 */
class SplitAgentApp : public RouterAgentApp
{
  public:
    using RouterAgentApp::RouterAgentApp;

    std::optional<uint32_t> Choose(const RoutedPacket& packet) override;

    void Setup() override;

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    Ptr<OpenGymDataContainer> Observe() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;

    /**
     * @param destination Number of a router.
     * @return the weight of each port of the router that is there
     */
    std::vector<double> GetWeights(uint32_t destination) const;

    std::vector<float> m_weights; //!< By destination and port; empty: none decided yet
    std::vector<float> m_arrived; //!< Packets of this epoch, by destination
    /// Draws ports.
    Ptr<UniformRandomVariable> m_uniform{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3

#endif // SPLIT_AGENT_APP_H
