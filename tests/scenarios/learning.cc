// SPDX-License-Identifier: GPL-2.0-only

// Agents and training servers. Each server has a separate link to each agent, and each agent one to
// each other agent; all links are alike, with a plain queue. An agent decides at a fixed interval;
// its reward is its last action, which identifies its policy.

#include "ns3/applications-module.h"
#include "ns3/defiance-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-helper.h"

using namespace ns3;

namespace
{

// Observes the number of its decision, and earns its last action.
class Learner : public AgentApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("Learner").SetParent<AgentApplication>().AddConstructor<Learner>();
        return tid;
    }

    void Setup() override
    {
        AgentApplication::Setup();
        m_observation = MakeBoxContainer<float>(1, m_decision);
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
    }

    // A new policy is used immediately.
    void OnReceiveTransfer(RlApplicationId remoteId,
                           const std::string& kind,
                           uint64_t bytes) override
    {
        if (kind == "urgent")
        {
            InferAction();
        }
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        m_reward += static_cast<double>(action->GetObject<OpenGymDiscreteContainer>()->GetValue());
        m_observation = MakeBoxContainer<float>(1, ++m_decision);
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(1, 0, 1e6);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(100);
    }

    float m_decision{1};
};

struct Link
{
    Ptr<Node> a;
    Ptr<Node> b;
    Ipv4InterfaceContainer addresses; // of both ends
    NetDeviceContainer devices;       // of both ends
};

class Network
{
  public:
    Network(DataRate rate, Time delay)
    {
        m_helper.SetDeviceAttribute("DataRate", DataRateValue(rate));
        m_helper.SetChannelAttribute("Delay", TimeValue(delay));
        m_helper.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("10000p"));
    }

    Link Connect(Ptr<Node> a, Ptr<Node> b)
    {
        Link link{a, b, {}, m_helper.Install(a, b)};
        link.addresses = m_addresses.Assign(link.devices);
        m_addresses.NewNetwork();
        TrafficControlHelper::Default().Uninstall(link.devices);
        return link;
    }

  private:
    PointToPointHelper m_helper;
    Ipv4AddressHelper m_addresses{"10.0.0.0", "255.255.255.0"};
};

// Drop all packets at the agent's end of a link from one time to another.
void
Interrupt(const Link& link, Time from, Time until)
{
    const auto model = CreateObject<RateErrorModel>();
    model->SetAttribute("ErrorRate", DoubleValue(1));
    model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    model->Disable();
    link.devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    Simulator::Schedule(from, &ErrorModel::Enable, model);
    Simulator::Schedule(until, &ErrorModel::Disable, model);
}

// Constant bit rate from the first end of a link to the other one; the rate is that of UDP payload.
void
AddCrossTraffic(const Link& link, DataRate rate)
{
    const InetSocketAddress sink(link.addresses.GetAddress(1), 9);
    OnOffHelper source("ns3::UdpSocketFactory", sink);
    source.SetConstantRate(rate, 500);
    source.Install(link.a);
    PacketSinkHelper("ns3::UdpSocketFactory", sink).Install(link.b);
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t agentCount = 2;
    uint32_t serverCount = 1;
    std::string transport = "udp";
    DataRate rate("1Mbps");
    DataRate crossTraffic;
    DataRate transferRate;
    Time delay = MilliSeconds(5);
    Time interval = MilliSeconds(10);
    Time duration = MilliSeconds(200);
    Time connectTime;
    Time outageFrom;
    Time outageUntil;
    Time serverStop;
    double loss = 0;
    uint32_t maxQueueSize = 1000000000;
    bool peers = true;
    RlSimulation simulation("learning");
    simulation.AddValue("agents", "Number of agents.", agentCount, 1, 8);
    simulation.AddValue("servers", "Number of training servers.", serverCount, 0, 4);
    simulation.AddChoice("transport", "What channels are.", transport, {"simple", "udp", "tcp"});
    simulation.AddValue("rate", "Rate of the links.", rate);
    simulation.AddValue("delay", "Delay of the links.", delay);
    simulation.AddValue("loss", "Share of messages lost by simple channels.", loss, 0, 1);
    simulation.AddValue("cross_traffic", "From server_0 to agent_0; 0: none.", crossTraffic);
    simulation.AddValue("transfer_rate", "Of transfers over UDP; 0: no limit.", transferRate);
    simulation.AddValue("interval", "Time between two decisions of an agent.", interval);
    simulation.AddValue("duration", "Length of an episode.", duration);
    simulation.AddValue("connect_time", "When channels connect.", connectTime);
    simulation.AddValue("outage_from", "Begin of an outage from server_0 to agent_0.", outageFrom);
    simulation.AddValue("outage_until", "End of the outage.", outageUntil);
    simulation.AddValue("server_stop", "When server_0 stops; 0: never.", serverStop);
    simulation.AddValue("max_queue_size", "Bytes that may wait for TCP.", maxQueueSize);
    simulation.AddValue("peers", "Whether agents have channels to each other.", peers);
    simulation.Parse(argc, argv);

    Config::SetDefault("ns3::SocketChannelInterface::MaxQueueSize", UintegerValue(maxQueueSize));
    Config::SetDefault("ns3::SocketChannelInterface::TransferRate", DataRateValue(transferRate));
    NodeContainer serverNodes(serverCount);
    NodeContainer agentNodes(agentCount);
    InternetStackHelper stack;
    stack.Install(serverNodes);
    stack.Install(agentNodes);
    RlApplicationHelper helper(Learner::GetTypeId());
    helper.SetAttribute("StepInterval", TimeValue(interval));
    const auto agents = helper.Install(agentNodes);
    const auto servers =
        RlApplicationHelper(TrainingServerApplication::GetTypeId()).Install(serverNodes);
    if (serverStop.IsStrictlyPositive())
    {
        servers.Get(0)->SetStopTime(serverStop);
    }

    CommunicationHelper communication;
    communication.SetAgentApps(agents);
    communication.SetTrainingServerApps(servers);
    communication.SetConnectTime(connectTime);
    communication.SetIds();
    Network network(rate, delay);
    const auto connect = [&](Ptr<RlApplication> a, Ptr<RlApplication> b) {
        const auto link = network.Connect(a->GetNode(), b->GetNode());
        SocketCommunicationAttributes socket{link.addresses.GetAddress(0),
                                             link.addresses.GetAddress(1)};
        if (transport == "tcp")
        {
            socket.protocol = TcpSocketFactory::GetTypeId();
        }
        CommunicationPair pair{a->GetId(), b->GetId(), socket};
        if (transport == "simple")
        {
            pair.attributes = CommunicationAttributes{delay, loss};
        }
        communication.AddCommunication({pair});
        return link;
    };
    for (uint32_t i = 0; i < agentCount; ++i)
    {
        for (uint32_t j = 0; j < serverCount; ++j)
        {
            const auto link = connect(servers.Get(j), agents.Get(i));
            if (i == 0 && j == 0)
            {
                if (outageUntil.IsStrictlyPositive())
                {
                    Interrupt(link, outageFrom, outageUntil);
                }
                if (crossTraffic.GetBitRate() > 0)
                {
                    AddCrossTraffic(link, crossTraffic);
                }
            }
        }
        for (uint32_t j = 0; peers && j < i; ++j)
        {
            connect(agents.Get(j), agents.Get(i));
        }
    }
    communication.Configure();
    return simulation.Run(duration);
}
