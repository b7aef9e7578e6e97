// SPDX-License-Identifier: GPL-2.0-only

#ifndef TCP_CONGESTION_ENVIRONMENT_H
#define TCP_CONGESTION_ENVIRONMENT_H

#include "bottleneck-network.h"
#include "environment.h"
#include "flow-features.h"
#include "flow-rewards.h"
#include "interval-control.h"
#include "monitor-clock.h"
#include "per-ack-agent-app.h"
#include "sender-parameters.h"
#include "tcp-flow.h"

#include "ns3/opengym-info.h"
#include "ns3/packet-sink.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief TCP flows that share bottlenecks, with an agent as the congestion control of each.
 */
class TcpCongestionEnvironment : public Environment
{
  public:
    TcpCongestionEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  private:
    /**
     * A flow with its two ends.
     */
    struct Flow
    {
        BottleneckNetwork::Pair ends;  //!< Nodes
        Ptr<TcpFlow> flow;             //!< As its sender sees it
        Ptr<TcpCongestionOps> control; //!< Decides how much is sent
        Ptr<PacketSink> sink;          //!< Receives
        uint64_t received{0};          //!< Packets that it has read
    };

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /// Set what all TCP sockets of this program have in common.
    void SetSocketDefaults() const;

    /**
     * Add a flow.
     *
     * @param ends Its ends.
     * @param control Decides how much is sent.
     */
    void AddFlow(const BottleneckNetwork::Pair& ends, Ptr<TcpCongestionOps> control);

    /**
     * @return what decides how much an observed flow sends
     */
    Ptr<TcpCongestionOps> MakeControl() const;

    /**
     * @return a window or pacing rate that an agent sets once in an interval
     */
    Ptr<IntervalControl> MakeIntervalControl() const;

    /**
     * Start a flow, and stop it.
     *
     * @param number Its number.
     * @param start When.
     * @param stay How long it sends; 0: to the end.
     */
    void StartFlow(uint32_t number, Time start, Time stay);

    /**
     * Make an agent that is asked once in an interval.
     *
     * @param agent Its number.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent);

    /**
     * @param first Number of an observed flow.
     * @param count How many, from that one on.
     * @return what is reported of them
     */
    OpenGymInfo Report(uint32_t first, uint32_t count) const;

    NetworkParameters m_networkParameters;        //!< What the network is like
    SenderParameters m_senderParameters;          //!< Who sends
    RewardParameters m_rewardParameters;          //!< What earns how much
    std::unique_ptr<BottleneckNetwork> m_network; //!< That flows share
    std::vector<std::unique_ptr<Flow>> m_flows;   //!< Observed ones, then cross traffic
    std::unique_ptr<MonitorClock> m_clock;        //!< Of the observed flows
};

} // namespace ns3

#endif // TCP_CONGESTION_ENVIRONMENT_H
