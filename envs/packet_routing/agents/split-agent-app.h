// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_AGENT_APP_H
#define SPLIT_AGENT_APP_H

#include "router-agent-app.h"

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{

/**
 * @brief Decides once in an epoch how its router splits packets among ports, by destination.
 *
 * Observation: Box of float32, with N routers and D the greatest number of links of a router. It
 * has for each port the waiting time of a packet (s), and whether its link works; for each
 * destination the number of its packets in the last epoch. With observation=link-state it also has,
 * for each destination and port, the delay (s). With messages it also has, for each destination and
 * port, the waiting time of packets at the neighbour (s). Action: Box of N x D float32 from 0 to 1,
 * in one axis: the weight of port p for packets to destination d, at d * D + p. If no working port
 * has a weight, all working ports have the same weight. Until the first action, ns-3's global
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
     * @return the weight of each existing port
     */
    std::vector<double> GetWeights(uint32_t destination) const;

    std::vector<float> m_weights; //!< Weights by destination and port; empty: none
    std::vector<float> m_arrived; //!< Packets of this epoch, by destination
    /// Draws ports.
    Ptr<UniformRandomVariable> m_uniform{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3

#endif // SPLIT_AGENT_APP_H
