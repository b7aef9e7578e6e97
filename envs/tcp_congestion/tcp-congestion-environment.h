// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_CONGESTION_ENVIRONMENT_H
#define TCP_CONGESTION_ENVIRONMENT_H

#include "bottleneck-network.h"
#include "environment.h"
#include "flow-set.h"
#include "monitor-clock.h"
#include "sender-parameters.h"

#include "ns3/opengym-info.h"

#include <memory>

namespace ns3
{

/**
 * @brief TCP flows that share bottlenecks, with an agent as the congestion control of each flow,
 * and optionally an agent at each bottleneck.
 *
 * Devices are the observed senders, or the bottlenecks if only bottlenecks have agents.
 */
class TcpCongestionEnvironment : public Environment
{
  public:
    TcpCongestionEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    Ptr<Node> GetGateway() const override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * @return a fault of the agents' placement, with its remedy; or an empty string
     */
    std::string FindMisplacement() const;

    /**
     * @return the number of senders that an agent controls or observes
     */
    uint32_t CountSenders() const;

    /// Set the common attributes of all TCP sockets in this program.
    void SetSocketDefaults() const;

    /**
     * Measure the queue of a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return the node of the bottleneck
     */
    Ptr<Node> WatchQueue(uint32_t hop);

    /**
     * @param hop Number of a bottleneck.
     * @return the applications there
     */
    DeviceApplications MakeQueueApplications(uint32_t hop) const;

    /**
     * Create an agent that decides within TCP calls.
     *
     * @param flow Number of the agent's flow.
     * @return the agent
     */
    Ptr<AgentApplication> MakePerAckAgent(uint32_t flow);

    /**
     * Create an agent that decides once in an interval.
     *
     * @param agent Number of the agent.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent);

    /**
     * Create an agent of a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return the agent
     */
    Ptr<AgentApplication> MakeQueueAgent(uint32_t hop);

    /**
     * @param first Number of an observed flow.
     * @param count Number of flows, beginning with that one.
     * @return their infos
     */
    OpenGymInfo Report(uint32_t first, uint32_t count) const;

    NetworkParameters m_networkParameters;        //!< The properties of the network
    SenderParameters m_senderParameters;          //!< The senders
    RewardParameters m_rewardParameters;          //!< The weights of rewards
    double m_capacity{0};                         //!< Mean of a bottleneck in bit/s
    std::unique_ptr<BottleneckNetwork> m_network; //!< Network of the flows
    std::unique_ptr<FlowSet> m_flows;             //!< All flows
    std::unique_ptr<MonitorClock> m_clock;        //!< Clock of the observed flows
};

} // namespace ns3

#endif // TCP_CONGESTION_ENVIRONMENT_H
