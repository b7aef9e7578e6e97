// SPDX-License-Identifier: GPL-2.0-only

#include "partition-environment.h"

#include "replica-action-app.h"
#include "replica-observation-app.h"
#include "tester-agent-app.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/rl-simulation.h"
#include "ns3/string.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace ns3
{

void
PartitionEnvironment::Declare(RlSimulation& simulation)
{
    if (m_protocols.size() > 1)
    {
        std::vector<std::string> names;
        for (const auto& protocol : m_protocols)
        {
            names.push_back(protocol->GetName());
        }
        simulation.AddChoice("protocol", "Protocol of the replicas.", m_protocol, names);
    }
    m_tester.Declare(simulation);
    std::vector<std::string> bugs{""};
    for (const auto& protocol : m_protocols)
    {
        protocol->Declare(simulation);
        const auto own = protocol->GetBugs();
        bugs.insert(bugs.end(), own.begin(), own.end());
    }
    if (bugs.size() > 1)
    {
        simulation.AddChoice("bug", "Seeded bug of all replicas; empty: none.", m_bug, bugs);
    }
    DeclareNetwork(simulation);
    for (const auto& [name, topology] : ReplicaTopology::GetAll())
    {
        simulation.AddWarmUp([&topology] { topology.build(2, {}); });
    }
}

void
PartitionEnvironment::DeclareNetwork(RlSimulation& simulation)
{
    simulation.AddValue("tick_interval",
                        "Simulated time of a tick.",
                        m_tester.tick,
                        MicroSeconds(100),
                        Seconds(10));
    simulation.AddChoice("topology",
                         "Network between replicas: a link from each to a router, an Ethernet "
                         "bus, or Wi-Fi.",
                         m_topology,
                         {"star", "csma", "wifi"});
    simulation.AddValue("link_rate",
                        "Rate of the link between each replica and the router, or of the bus.",
                        m_links.rate,
                        DataRate("10kbps"),
                        DataRate("100Gbps"));
    simulation.AddValue("link_delay",
                        "One-way delay of each link to the router, or of the bus.",
                        m_links.delay,
                        Time(0),
                        Seconds(5));
    simulation.AddValue("link_loss",
                        "Probability that a device loses a received packet.",
                        m_links.loss,
                        0.0,
                        1.0);
    simulation.AddValue(
        "link_jitter",
        "Largest random delay before a message is sent, from a uniform distribution.",
        m_jitter,
        Time(0),
        Seconds(1));
    simulation.AddValue("link_duplication",
                        "Probability that a message is sent twice.",
                        m_duplication,
                        0.0,
                        1.0);
    simulation.AddValue("pcap",
                        "Prefix of the files that capture the packets of each replica's device; "
                        "empty: no captures.",
                        m_links.pcap);
}

std::string
PartitionEnvironment::FindContradiction() const
{
    for (const auto& fault : {FindProtocolContradiction(),
                              FindBugContradiction(),
                              m_tester.FindContradiction(GetProtocol()),
                              FindNetworkContradiction()})
    {
        if (!fault.empty())
        {
            return fault;
        }
    }
    return "";
}

std::string
PartitionEnvironment::FindProtocolContradiction() const
{
    for (const auto& protocol : m_protocols)
    {
        const bool chosen = protocol->GetName() == m_protocol;
        const auto fault = protocol->FindContradiction(chosen, m_tester.tick);
        if (!fault.empty())
        {
            return fault;
        }
    }
    return "";
}

std::string
PartitionEnvironment::FindBugContradiction() const
{
    const auto bugs = GetProtocol().GetBugs();
    if (m_tester.histories && !GetProtocol().AnswersClients())
    {
        return "histories=true: replicas of protocol=" + m_protocol +
               " cannot replay client requests, or cannot do so with compaction";
    }
    if (GetProtocol().IsSeenByClientsAlone(m_bug) && !m_tester.histories)
    {
        return "bug=" + m_bug + " appears only in the responses to clients; give histories=true";
    }
    if (m_bug.empty() || std::find(bugs.begin(), bugs.end(), m_bug) != bugs.end())
    {
        return "";
    }
    std::ostringstream fault;
    fault << "bug=" << m_bug << " is not a bug of protocol=" << m_protocol << ", which has";
    for (const auto& bug : bugs)
    {
        fault << " " << bug;
    }
    return fault.str();
}

std::string
PartitionEnvironment::FindNetworkContradiction() const
{
    const auto& topologies = ReplicaTopology::GetAll();
    const auto topology = topologies.find(m_topology);
    std::ostringstream fault;
    if (topology == topologies.end())
    {
        fault << "this program lacks the models for topology=" << m_topology
              << "; use the scenario's program that has them";
        return fault.str();
    }
    const auto folder = std::filesystem::path(m_links.pcap).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
    {
        fault << "pcap=" << m_links.pcap << ": there is no folder " << folder.string();
        return fault.str();
    }
    const ReplicaLinks usual;
    if (m_topology == "wifi" && (m_links.rate != usual.rate || m_links.delay != usual.delay))
    {
        return "topology=wifi does not use link_rate and link_delay; leave them out";
    }
    const auto traffic = GetProtocol().GetTraffic();
    const auto longest = topology->second.bound(m_tester.replicas, m_links, traffic) + m_jitter;
    if (m_tester.delivery == "pool" && longest >= m_tester.tick)
    {
        fault << "tick_interval=" << m_tester.tick.As(Time::MS) << " is too short for messages to "
              << "arrive within a tick, which takes up to " << longest.As(Time::MS)
              << " with topology=" << m_topology
              << "; give a longer tick_interval, a smaller link_delay or link_jitter, a larger "
                 "link_rate, or delivery=network";
    }
    else if (const auto way = longest - m_jitter; m_tester.Heals() && way >= m_tester.tick)
    {
        fault << "healing=" << m_tester.healing << " needs messages that arrive within "
              << "tick_interval=" << m_tester.tick.As(Time::MS) << " if nothing delays them; "
              << "they take up to " << way.As(Time::MS) << " with topology=" << m_topology
              << "; give a longer tick_interval, a smaller link_delay or a larger link_rate";
    }
    else if (m_deployment.link.loss > 0)
    {
        fault << "loss=" << m_deployment.link.loss
              << " would lose reports to the agent, which needs all of them; link_loss is for the "
                 "network between replicas";
    }
    return fault.str();
}

ReplicaProtocol&
PartitionEnvironment::GetProtocol() const
{
    return **std::find_if(m_protocols.begin(), m_protocols.end(), [this](const auto& protocol) {
        return protocol->GetName() == m_protocol;
    });
}

NodeContainer
PartitionEnvironment::BuildDevices()
{
    m_network = ReplicaTopology::GetAll().at(m_topology).build(m_tester.replicas, m_links);
    for (uint32_t i = 0; i < m_tester.replicas; i++)
    {
        auto replica = GetProtocol().MakeReplica(m_tester.tick);
        replica->SetAttribute("AutoStart", BooleanValue(false));
        replica->SetAttribute("Bug", StringValue(m_bug));
        replica->SetAttribute("AnswersClients", BooleanValue(m_tester.histories));
        replica->SetAttribute("Jitter", TimeValue(m_jitter));
        replica->SetAttribute("Duplication", DoubleValue(m_duplication));
        replica->GetInterceptor()->SetAttribute("Holds", BooleanValue(m_tester.delivery == "pool"));
        replica->SetGroup(i + 1, m_network->addresses);
        m_network->nodes.Get(i)->AddApplication(replica);
        m_replicas.push_back(replica);
    }
    return m_network->nodes;
}

DeviceApplications
PartitionEnvironment::MakeApplications(uint32_t device)
{
    const auto filter = m_network->filters[device];
    const auto replica = m_replicas[device];
    const auto observation =
        CreateObject<ReplicaObservationApp>(replica, filter, m_tester.messageEvents);
    const auto action = CreateObject<ReplicaActionApp>(
        replica,
        filter,
        m_tester.tick,
        [observation](uint64_t tick, bool refused) { observation->Report(tick, refused); });
    return {.observation = observation, .reward = nullptr, .action = action};
}

Ptr<AgentApplication>
PartitionEnvironment::MakeAgent(uint32_t)
{
    auto agent = CreateObject<TesterAgentApp>();
    agent->Host(m_tester, GetProtocol());
    return agent;
}

void
PartitionEnvironment::NotifyDeployed(const RlApplicationContainer& agents)
{
    if (!m_tester.roles)
    {
        return;
    }
    const auto host = DynamicCast<TesterAgentApp>(agents.Get(0));
    uint32_t number = host->GetId().applicationId;
    for (const auto role : {TesterRole::CRASHER, TesterRole::PARTITIONER})
    {
        auto agent = CreateObject<TesterAgentApp>();
        agent->Join(host, role);
        host->GetNode()->AddApplication(agent);
        agent->SetId({ApplicationType::AGENT, ++number});
        agent->Setup();
    }
}

} // namespace ns3
