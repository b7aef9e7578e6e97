// SPDX-License-Identifier: GPL-2.0-only

// The deployment that the design requires: seven nodes, an observation application that feeds two
// agents, and two reward applications that feed one. An agent drives action applications on three
// nodes, including the other agent's, and sends that agent its actions. Channels are of every kind.
// During the episode the deployment may change.

#include "ns3/defiance-module.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace
{

const Time INTERVAL = MilliSeconds(100); // of observations

Ptr<OpenGymBoxContainer<int32_t>>
MakeNumber(int32_t value)
{
    return MakeBoxContainer<int32_t>(1, value);
}

int32_t
GetNumber(Ptr<OpenGymDictContainer> message, const std::string& key)
{
    return message->Get(key)->GetObject<OpenGymBoxContainer<int32_t>>()->GetValue(0);
}

// Sends 1, 2, 3, ... at a fixed interval.
template <typename Base>
class Counter : public Base
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("Counter" + Base::GetTypeId().GetName())
                                .template SetParent<Base>()
                                .template AddConstructor<Counter<Base>>();
        return tid;
    }

    void RegisterCallbacks() override
    {
        Simulator::Schedule(INTERVAL, &Counter::Tick, this);
    }

  private:
    void Tick()
    {
        this->Send(MakeDictContainer("value", MakeNumber(++m_count)));
        Simulator::Schedule(INTERVAL, &Counter::Tick, this);
    }

    int32_t m_count{0};
};

using TickObservation = Counter<ObservationApplication>;
using TickReward = Counter<RewardApplication>;

// Rewards with the executed number.
class EchoReward : public RewardApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("EchoReward").SetParent<RewardApplication>().AddConstructor<EchoReward>();
        return tid;
    }

    void RegisterCallbacks() override
    {
    }

    void Reward(int32_t executed)
    {
        Send(MakeDictContainer("value", MakeNumber(1000 * executed)));
    }
};

// Executes its actions, and reports them to a trace source.
class TracedAction : public ActionApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("TracedAction").SetParent<ActionApplication>().AddConstructor<TracedAction>();
        return tid;
    }

    Callback<void, int32_t> m_executed;

  private:
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override
    {
        if (!m_executed.IsNull())
        {
            m_executed(action->Get("default")->GetObject<OpenGymDiscreteContainer>()->GetValue());
        }
    }
};

// Decides on each observation, and sends the other agent its observation and action.
class Leader : public AgentApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("Leader").SetParent<AgentApplication>().AddConstructor<Leader>();
        return tid;
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_observation = m_obsDataStruct.GetNewestByID(remoteAppId)->data->Get("value");
        InferAction();
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
        m_reward += GetNumber(m_rewardDataStruct.GetNewestByID(remoteAppId)->data, "value");
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        AgentApplication::InitiateAction(action);
        SendToAgent(MakeDictContainer("told", m_observation, "done", action));
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<int32_t>(1, 0, 1000);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(8);
    }
};

// Decides on each message of the leader, and keeps its own observations.
class Follower : public AgentApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("Follower").SetParent<AgentApplication>().AddConstructor<Follower>();
        return tid;
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_seen = GetNumber(m_obsDataStruct.GetNewestByID(remoteAppId)->data, "value");
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
    }

    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override
    {
        m_observation = MakeDictContainer("done",
                                          payload->Get("done"),
                                          "seen",
                                          MakeNumber(m_seen),
                                          "told",
                                          payload->Get("told"));
        InferAction();
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeDictSpace("done",
                             MakeDiscreteSpace(8),
                             "seen",
                             MakeBoxSpace<int32_t>(1, 0, 1000),
                             "told",
                             MakeBoxSpace<int32_t>(1, 0, 1000));
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeBoxSpace<float>(2, -1, 1);
    }

    int32_t m_seen{0};
};

// Seven nodes, six links of 1 Mbit/s; node 3 has none.
class Network
{
  public:
    Network()
        : nodes(7)
    {
        InternetStackHelper stack;
        for (uint32_t i : {0, 1, 2, 4, 5, 6})
        {
            stack.Install(nodes.Get(i));
        }
        Link(0, 1, MilliSeconds(2));
        const auto ipv6Link = Link(0, 2, MilliSeconds(10));
        Link(4, 1, MilliSeconds(1));
        Link(1, 5, MilliSeconds(4));
        Link(1, 6, MilliSeconds(2));
        Link(1, 2, MilliSeconds(1));
        ipv6 = Ipv6AddressHelper("2001:1::", Ipv6Prefix(64)).Assign(ipv6Link);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    NodeContainer nodes;
    Ipv6InterfaceContainer ipv6; // of the link from node 0 to node 2

  private:
    NetDeviceContainer Link(uint32_t a, uint32_t b, Time delay)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Mbps"));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        const auto devices = link.Install(nodes.Get(a), nodes.Get(b));
        m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return devices;
    }

    Ipv4AddressHelper m_addresses{"10.1.1.0", "255.255.255.0"};
};

RlApplicationContainer
Install(const Network& network, TypeId type, std::initializer_list<uint32_t> nodes)
{
    RlApplicationHelper helper(type);
    RlApplicationContainer applications;
    for (const auto node : nodes)
    {
        applications.Add(helper.Install(network.nodes.Get(node)));
    }
    return applications;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string change = "none";
    Time when = MilliSeconds(550);
    Time serviceTime;
    RlSimulation simulation("deployment");
    simulation.AddChoice("change", "The change.", change, {"none", "add", "delete", "move"});
    simulation.AddValue("when", "Time of the change.", when);
    simulation.AddValue("service_time",
                        "Time of a decision on the one worker that both agents share; 0: none.",
                        serviceTime);
    simulation.Parse(argc, argv);

    const Network network;
    const auto observers = Install(network, TickObservation::GetTypeId(), {0});
    auto agents = Install(network, Leader::GetTypeId(), {1});
    agents.Add(Install(network, Follower::GetTypeId(), {2}));
    auto rewards = Install(network, EchoReward::GetTypeId(), {3});
    rewards.Add(Install(network, TickReward::GetTypeId(), {4}));
    const auto actions = Install(network, TracedAction::GetTypeId(), {5, 6, 2});
    const auto executor = DynamicCast<TracedAction>(actions.Get(0));
    executor->m_executed =
        MakeCallback(&EchoReward::Reward, DynamicCast<EchoReward>(rewards.Get(0)));

    if (serviceTime.IsStrictlyPositive())
    {
        const auto constant = CreateObject<ConstantRandomVariable>();
        constant->SetAttribute("Constant", DoubleValue(serviceTime.GetSeconds()));
        const auto queue = CreateObject<InferenceQueue>();
        queue->SetAttribute("ServiceTime", PointerValue(constant));
        for (const auto& agent : agents)
        {
            agent->SetAttribute("InferenceQueue", PointerValue(queue));
        }
    }

    CommunicationHelper communication;
    communication.SetObservationApps(observers);
    communication.SetRewardApps(rewards);
    communication.SetAgentApps(agents);
    communication.SetActionApps(actions);
    communication.SetIds();
    const SocketCommunicationAttributes udp;
    const SocketCommunicationAttributes tcp{.protocol = TcpSocketFactory::GetTypeId()};
    const SocketCommunicationAttributes tcpOverIpv6{network.ipv6.GetAddress(0, 1),
                                                    network.ipv6.GetAddress(1, 1),
                                                    TcpSocketFactory::GetTypeId()};
    communication.AddCommunication(
        {{observers.GetId(0), agents.GetId(0), udp},
         {observers.GetId(0), agents.GetId(1), tcpOverIpv6},
         {rewards.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(5)}},
         {rewards.GetId(1), agents.GetId(0), udp},
         {agents.GetId(0), actions.GetId(0), udp},
         {agents.GetId(0), actions.GetId(1), tcp},
         {agents.GetId(0), actions.GetId(2), udp},
         {agents.GetId(0), agents.GetId(1), udp},
         {agents.GetId(1), actions.GetId(2), {}}});
    communication.Configure();

    Simulator::Schedule(when, [&] {
        if (change == "add")
        {
            communication.AddCommunication(
                {{observers.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(20)}}});
        }
        else if (change == "delete")
        {
            communication.DeleteCommunication(observers.GetId(0), agents.GetId(0));
        }
        else if (change == "move")
        {
            agents.Get(0)->MoveTo(network.nodes.Get(0));
        }
    });
    return simulation.Run(MilliSeconds(1050));
}
