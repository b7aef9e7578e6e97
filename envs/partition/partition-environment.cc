// SPDX-License-Identifier: GPL-2.0-only

#include "partition-environment.h"

#include "replica-action-app.h"
#include "replica-observation-app.h"
#include "tester-agent-app.h"

#include "ns3/rl-simulation.h"

#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t LARGEST_MESSAGE = 544; // bytes of a message of Raft with 64 entries
constexpr uint32_t MOST_AT_ONCE = 3;      // messages that a replica sends another one in a tick

} // namespace

PartitionEnvironment::PartitionEnvironment()
    : Environment({.scenario = "partition",
                   .device = "replica",
                   .placements = {"central"},
                   .transports = {"simple", "tcp"},
                   .accesses = {"point-to-point"},
                   .inference = false,
                   .trainingServer = false})
{
    m_deployment.duration = Hours(24);
    m_tester.painter = "state,commit,leader,vote,index,term:6,log:6";
}

void
PartitionEnvironment::Declare(RlSimulation& simulation)
{
    m_tester.Declare(simulation);
    simulation.AddValue("election_ticks",
                        "Ticks of an election timeout, which is drawn from so many to twice as "
                        "many, anew for each term.",
                        m_protocol.electionTicks,
                        1U,
                        10000U);
    simulation.AddValue("heartbeat_ticks",
                        "Ticks between two heartbeats of a leader.",
                        m_protocol.heartbeatTicks,
                        1U,
                        10000U);
    simulation.AddValue("tick_interval",
                        "Simulated time of a tick.",
                        m_tickInterval,
                        MicroSeconds(100),
                        Seconds(10));
    simulation.AddValue("link_rate",
                        "Rate of the link between each replica and the router.",
                        m_links.rate,
                        DataRate("10kbps"),
                        DataRate("100Gbps"));
    simulation.AddValue("link_delay",
                        "One-way delay of the link between each replica and the router.",
                        m_links.delay,
                        Time(0),
                        Seconds(5));
    simulation.AddValue("link_loss",
                        "Probability that such a link loses a packet.",
                        m_links.loss,
                        0.0,
                        1.0);
    simulation.AddWarmUp([] { StarNetwork(2, {}); });
}

std::string
PartitionEnvironment::FindContradiction() const
{
    std::ostringstream fault;
    const auto datagrams = MOST_AT_ONCE * m_tester.replicas;
    const auto longest = StarNetwork::GetLongestWay(m_links, LARGEST_MESSAGE, datagrams);
    if (longest >= m_tickInterval)
    {
        fault << "tick_interval=" << m_tickInterval.As(Time::MS) << " is too short for messages to "
              << "arrive within a tick, which takes up to " << longest.As(Time::MS)
              << "; give a longer one, or a smaller link_delay or larger link_rate";
    }
    else if (m_protocol.heartbeatTicks >= m_protocol.electionTicks)
    {
        fault << "heartbeat_ticks=" << m_protocol.heartbeatTicks << " is not less than "
              << "election_ticks=" << m_protocol.electionTicks << ": no leader could stay one";
    }
    else if (m_deployment.link.loss > 0)
    {
        fault << "loss=" << m_deployment.link.loss << " loses reports to the agent, which awaits "
              << "each of them; link_loss is that of the network between replicas";
    }
    else
    {
        fault << m_tester.FindContradiction(m_protocol);
    }
    return fault.str();
}

uint32_t
PartitionEnvironment::CountDevices() const
{
    return m_tester.replicas;
}

NodeContainer
PartitionEnvironment::BuildDevices()
{
    m_network.emplace(m_tester.replicas, m_links);
    for (uint32_t i = 0; i < m_tester.replicas; i++)
    {
        auto replica = m_protocol.MakeReplica();
        replica->SetGroup(i + 1, m_network->GetAddresses());
        m_network->GetNodes().Get(i)->AddApplication(replica);
        m_replicas.push_back(replica);
    }
    return m_network->GetNodes();
}

DeviceApplications
PartitionEnvironment::MakeApplications(uint32_t device)
{
    auto action = CreateObject<ReplicaActionApp>();
    action->SetAttribute("TickInterval", TimeValue(m_tickInterval));
    action->SetReplica(m_replicas[device]);
    auto observation = CreateObject<ReplicaObservationApp>();
    observation->SetReplica(m_replicas[device], action);
    return {.observation = observation, .reward = nullptr, .action = action};
}

Ptr<AgentApplication>
PartitionEnvironment::MakeAgent(uint32_t)
{
    auto agent = CreateObject<TesterAgentApp>();
    agent->SetTest(m_tester, m_protocol);
    return agent;
}

} // namespace ns3
