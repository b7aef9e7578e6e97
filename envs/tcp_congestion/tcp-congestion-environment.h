// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_CONGESTION_ENVIRONMENT_H
#define TCP_CONGESTION_ENVIRONMENT_H

#include "bottleneck-network.h"
#include "environment.h"
#include "flow-features.h"
#include "flow-rewards.h"
#include "flow-set.h"
#include "monitor-clock.h"
#include "sender-parameters.h"

#include "ns3/opengym-info.h"

#include <memory>

namespace ns3
{

/**
 * @brief TCP flows that share bottlenecks, with an agent as the congestion control of each, and one
 * at each bottleneck if there is to be.
 *
 * Devices are the observed senders, unless agents are at bottlenecks alone, and then the
 * bottlenecks.
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
     * @return what is wrong with where agents sit, and what would be right; or an empty string
     */
    std::string FindMisplacement() const;

    /**
     * @return the number of senders that have an agent, or are observed by one
     */
    uint32_t CountSenders() const;

    /// Set what all TCP sockets of this program have in common.
    void SetSocketDefaults() const;

    /**
     * Measure the queue before a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return its node
     */
    Ptr<Node> WatchQueue(uint32_t hop);

    /**
     * @return what is made of the samples of a flow
     */
    FlowFeatures MakeFeatures() const;

    /**
     * @param hop Number of a bottleneck.
     * @return the applications there
     */
    DeviceApplications MakeQueueApplications(uint32_t hop) const;

    /**
     * Make an agent that is asked within calls of TCP.
     *
     * @param flow Number of its flow.
     * @return the agent
     */
    Ptr<AgentApplication> MakePerAckAgent(uint32_t flow);

    /**
     * Make an agent that is asked once in an interval.
     *
     * @param agent Its number.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent);

    /**
     * Make an agent of a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return the agent
     */
    Ptr<AgentApplication> MakeQueueAgent(uint32_t hop);

    /**
     * @param first Number of an observed flow.
     * @param count How many, from that one on.
     * @return what is reported of them
     */
    OpenGymInfo Report(uint32_t first, uint32_t count) const;

    NetworkParameters m_networkParameters;        //!< The properties of the network
    SenderParameters m_senderParameters;          //!< The senders
    RewardParameters m_rewardParameters;          //!< The weights of rewards
    double m_capacity{0};                         //!< Mean of a bottleneck in bit/s
    std::unique_ptr<BottleneckNetwork> m_network; //!< That flows share
    std::unique_ptr<FlowSet> m_flows;             //!< All of them
    std::unique_ptr<MonitorClock> m_clock;        //!< Of the observed flows
};

} // namespace ns3

#endif // TCP_CONGESTION_ENVIRONMENT_H
