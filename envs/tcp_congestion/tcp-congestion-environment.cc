// SPDX-License-Identifier: GPL-2.0-only

// TCP flows that share bottlenecks, with agents as their congestion control; see card.md.

#include "bottleneck-network.h"
#include "bottleneck-queue.h"
#include "environment-program.h"
#include "environment.h"
#include "flow-agent-app.h"
#include "flow-set.h"
#include "monitor-clock.h"
#include "per-ack-agent-app.h"
#include "sender-parameters.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-agent-application.h"
#include "ns3/callable-collector.h"
#include "ns3/config.h"
#include "ns3/inference-queue.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>

using namespace ns3;

namespace
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
    TcpCongestionEnvironment()
        : Environment({.scenario = "tcp_congestion",
                       .device = "sender",
                       .accesses = {"point-to-point", "in-band"}})
    {
        m_deployment.placement = "local";
    }

    uint32_t CountDevices() const override
    {
        return CountSenders() +
               (m_networkParameters.queueAgent ? m_networkParameters.GetHops() : 0);
    }

    NodeContainer BuildDevices() override
    {
        SetSocketDefaults();
        const auto& network = m_networkParameters;
        m_capacity = network.GetMeanRate(m_deployment.duration);
        m_network = std::make_unique<BottleneckNetwork>(network,
                                                        m_senderParameters.GetPacketSize(),
                                                        m_deployment.duration);
        m_flows = std::make_unique<FlowSet>(m_senderParameters, network, *m_network);
        m_clock = std::make_unique<MonitorClock>(m_senderParameters.interval,
                                                 m_rewardParameters,
                                                 m_capacity,
                                                 m_senderParameters.crossFlows);
        NodeContainer nodes;
        for (uint32_t i = 0; i < CountSenders(); i++)
        {
            const auto& flow = m_flows->GetFlow(i);
            m_clock->Add(flow.flow, network.GetPropagationTime(flow.ends.hops));
            nodes.Add(flow.ends.sender);
        }
        for (uint32_t hop = 0; network.queueAgent && hop < network.GetHops(); hop++)
        {
            nodes.Add(WatchQueue(hop));
        }
        return nodes;
    }

    Ptr<Node> GetGateway() const override
    {
        return m_network->GetRouter(m_networkParameters.GetHops());
    }

    void StartDevices() override
    {
        m_network->Start();
        m_clock->Start();
        m_flows->Start();
        for (uint32_t hop = 0;
             m_networkParameters.queueAgent && hop < m_networkParameters.GetHops();
             hop++)
        {
            m_network->GetRouter(hop)->GetObject<BottleneckQueue>()->Start(
                m_senderParameters.interval);
        }
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        if (device >= CountSenders())
        {
            return MakeQueueApplications(device - CountSenders());
        }
        const auto flow = m_flows->GetFlow(device).flow;
        const auto reward =
            CreateObject<CallableRewardApplication>(flow, "Reward", [](double earned) {
                return earned;
            });
        if (m_senderParameters.IsPerAck())
        {
            return {.observation = nullptr, .reward = reward, .action = nullptr};
        }
        const auto control = DynamicCast<IntervalControl>(m_flows->GetFlow(device).control);
        return {
            .observation = CreateObject<CallableObservationApplication>(
                flow,
                "Sample",
                [features = FlowFeatures(m_senderParameters.observation)](const FlowSample& sample,
                                                                          bool left) mutable {
                    return MakeDictContainer("left",
                                             MakeDiscreteContainer(left),
                                             "state",
                                             MakeBoxContainer(features.Make(sample)));
                }),
            .reward = reward,
            .action = CreateObject<CallableActionApplication>(
                [control,
                 proportional = m_senderParameters.actionSpace == "proportional",
                 size = m_senderParameters.segmentSize](Ptr<OpenGymDataContainer> action) {
                    if (control)
                    {
                        FlowActions::Execute(action, proportional, *control, size);
                    }
                })};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        if (agent >= CountSenders())
        {
            return MakeQueueAgent(agent - CountSenders());
        }
        return m_senderParameters.IsPerAck() ? MakePerAckAgent(agent) : MakeIntervalAgent(agent);
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        m_senderParameters.Declare(simulation);
        m_networkParameters.Declare(simulation);
        m_rewardParameters.Declare(simulation);
        simulation.AddWarmUp([] {
            const NetworkParameters network;
            const SenderParameters senders;
            BottleneckNetwork built(network, senders.GetPacketSize(), Seconds(10));
            const FlowSet flows(senders, network, built);
        });
    }

    std::string FindContradiction() const override
    {
        for (const auto& fault : {m_senderParameters.FindContradiction(),
                                  m_networkParameters.FindContradiction(),
                                  FindMisplacement()})
        {
            if (!fault.empty())
            {
                return fault;
            }
        }
        if (m_networkParameters.queueAgent && m_senderParameters.interval.IsZero())
        {
            return "queue_agent=true needs a common interval, so interval=0, the round trip time "
                   "of each flow, does not apply; set one";
        }
        // An agent for all flows may receive each flow's own reward: all rewards fit all
        // placements.
        return m_senderParameters.IsPerAck() ? ""
                                             : FindDecisionFault(m_senderParameters.interval, "");
    }

    /**
     * @return a fault of the agents' placement, with its remedy; or an empty string
     */
    std::string FindMisplacement() const
    {
        if (m_senderParameters.IsPerAck() &&
            (m_deployment.placement != "local" || m_deployment.transport != "simple" ||
             !m_deployment.actionDelay.IsZero() || m_deployment.inference.MakeQueue("agent_0")))
        {
            return "control=per_ack answers within a TCP call, so it needs placement=local, "
                   "transport=simple, no action_delay and no workers or service_time";
        }
        if (!IsCentral())
        {
            return "";
        }
        if (!m_senderParameters.algorithm.GetNamed().empty())
        {
            return "placement=central has one agent for all flows, so all flows need one "
                   "algorithm; an algorithm for each flow needs placement=local or "
                   "placement=remote";
        }
        if (m_senderParameters.interval.IsZero())
        {
            return "placement=central decides for all flows together, so interval=0, the round "
                   "trip time of each flow, does not apply; set one";
        }
        return m_networkParameters.queueAgent
                   ? "placement=central has one agent for all senders, so queue_agent=true, with "
                     "an agent at each bottleneck, needs placement=local or placement=remote"
                   : "";
    }

    /**
     * @return the number of senders that an agent controls or observes
     */
    uint32_t CountSenders() const
    {
        const bool queuesAlone = m_networkParameters.queueAgent && !m_senderParameters.HasAgents();
        return queuesAlone ? 0 : m_senderParameters.flows;
    }

    /// Set the common attributes of all TCP sockets in this program.
    void SetSocketDefaults() const
    {
        // ns-3's PacketSink creates the receivers' sockets, and accepts only these types.
        const UintegerValue buffer(m_senderParameters.socketBuffer);
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);
        Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(m_senderParameters.minRto));
        if (m_networkParameters.ecn)
        {
            Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        }
    }

    /**
     * Measure the queue of a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return the node of the bottleneck
     */
    Ptr<Node> WatchQueue(uint32_t hop)
    {
        const auto queue = CreateObject<BottleneckQueue>();
        queue->SetDiscipline(DynamicCast<ProbabilityQueueDisc>(m_network->GetDiscipline(hop)));
        const auto router = m_network->GetRouter(hop);
        router->AggregateObject(queue);
        return router;
    }

    /**
     * @param hop Number of a bottleneck.
     * @return the applications there
     */
    DeviceApplications MakeQueueApplications(uint32_t hop) const
    {
        const auto queue = m_network->GetRouter(hop)->GetObject<BottleneckQueue>();
        return {.observation =
                    CreateObject<CallableObservationApplication>(queue,
                                                                 "Sample",
                                                                 &QueueControl::MakeObservation),
                .reward = CreateObject<CallableRewardApplication>(
                    queue,
                    "Measured",
                    [weights = m_rewardParameters,
                     capacity = m_capacity,
                     propagation =
                         m_networkParameters.GetPropagationTime(1)](const QueueSample& sample) {
                        return QueueControl::GetReward(sample, weights, capacity, propagation);
                    }),
                .action = CreateObject<CallableActionApplication>(
                    [discipline = queue->GetDiscipline()](Ptr<OpenGymDataContainer> action) {
                        discipline->SetProbability(QueueControl::GetProbability(action));
                    })};
    }

    /**
     * Create an agent that decides within TCP calls.
     *
     * @param flow Number of the agent's flow.
     * @return the agent
     */
    Ptr<AgentApplication> MakePerAckAgent(uint32_t flow)
    {
        const auto agent = CreateObject<PerAckAgentApp>(m_flows->GetFlow(flow).flow);
        agent->SetReport([this, flow] { return Report(flow, 1); });
        DynamicCast<PerAckControl>(m_flows->GetFlow(flow).control)
            ->SetDecider(
                [agent](const CongestionQuestion& question) { return agent->Decide(question); });
        return agent;
    }

    /**
     * Create an agent that decides once in an interval.
     *
     * @param agent Number of the agent.
     * @return the agent
     */
    Ptr<AgentApplication> MakeIntervalAgent(uint32_t agent)
    {
        const auto flows = GetDevicesOf(agent);
        const auto made = CreateObject<FlowAgentApp>(flows,
                                                     FlowFeatures(m_senderParameters.observation),
                                                     m_senderParameters.actionSpace);
        made->SetReport([this, flows] { return Report(flows.first, flows.count); });
        return made;
    }

    /**
     * Create an agent of a bottleneck.
     *
     * @param hop Number of the bottleneck.
     * @return the agent
     */
    Ptr<AgentApplication> MakeQueueAgent(uint32_t hop)
    {
        const bool continuous = m_senderParameters.actionSpace == "continuous";
        const auto agent =
            CreateObject<CallableAgentApplication>(QueueControl::MakeObservationSpace(),
                                                   QueueControl::MakeActionSpace(continuous));
        agent->SetReport([this, hop] {
            auto report = Report(0, m_senderParameters.flows);
            report["bottleneck"] = int64_t(hop);
            return report;
        });
        return agent;
    }

    /**
     * @param first Number of an observed flow.
     * @param count Number of flows, beginning with that one.
     * @return their infos
     */
    OpenGymInfo Report(uint32_t first, uint32_t count) const
    {
        const auto totals = m_flows->Count(first, count);
        const auto cross = m_flows->Count(m_senderParameters.flows, m_senderParameters.crossFlows);
        const auto measured = m_flows->MeasureInterval(first, count);
        int64_t queued = 0;
        int64_t dropped = 0;
        int64_t marked = 0;
        for (uint32_t hop = 0; hop < m_networkParameters.GetHops(); hop++)
        {
            const auto discipline = m_network->GetDiscipline(hop);
            const auto& stats = discipline->GetStats();
            queued += discipline->GetNPackets();
            dropped += stats.nTotalDroppedPackets;
            marked += stats.nTotalMarkedPackets;
        }
        return {{"received_packets", totals.packets},
                {"received_bytes", totals.bytes},
                {"retransmissions", totals.retransmissions},
                {"throughput", measured.throughput},
                {"round_trip_time", measured.roundTripTime},
                {"cross_received_bytes", cross.bytes},
                {"queue_packets", queued},
                {"queue_drops", dropped},
                {"queue_marks", marked}};
    }

    NetworkParameters m_networkParameters;        //!< The properties of the network
    SenderParameters m_senderParameters;          //!< The senders
    RewardParameters m_rewardParameters;          //!< The weights of rewards
    double m_capacity{0};                         //!< Mean of a bottleneck in bit/s
    std::unique_ptr<BottleneckNetwork> m_network; //!< Network of the flows
    std::unique_ptr<FlowSet> m_flows;             //!< All flows
    std::unique_ptr<MonitorClock> m_clock;        //!< Clock of the observed flows
};

} // namespace

int
main(int argc, char* argv[])
{
    TcpCongestionEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
