// SPDX-License-Identifier: GPL-2.0-only

// An environment with a separate network of devices: meters, each with a link to a hub, to which
// they send readings. Messages of agents cross that network too, or a separate access network.

#include "environment-program.h"

#include "ns3/core-module.h"
#include "ns3/defiance-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-helper.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace
{

const Time INTERVAL = MilliSeconds(100);
constexpr uint16_t PORT = 9; // of readings, at the hub

// Measurement and last command of a node.
class Meter : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("Meter").SetParent<Object>().AddConstructor<Meter>();
        return tid;
    }

    uint32_t m_count{0};
    uint32_t m_told{0};
    uint32_t m_arrived{0}; // readings, at the hub
};

// Sends at a fixed interval the measurement of its node and the last command.
class MeterObservation : public ObservationApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("MeterObservation")
                                .SetParent<ObservationApplication>()
                                .AddConstructor<MeterObservation>();
        return tid;
    }

    void RegisterCallbacks() override
    {
        Simulator::Schedule(INTERVAL, &MeterObservation::Measure, this);
    }

  private:
    void Measure()
    {
        const auto meter = GetNode()->GetObject<Meter>();
        meter->m_count++;
        Send(MakeDictContainer("meter", MakeBoxContainer<float>(2, meter->m_count, meter->m_told)));
        Simulator::Schedule(INTERVAL, &MeterObservation::Measure, this);
    }
};

// A reward for each reading that has reached the hub.
class MeterReward : public RewardApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("MeterReward").SetParent<RewardApplication>().AddConstructor<MeterReward>();
        return tid;
    }

    void RegisterCallbacks() override
    {
        Simulator::Schedule(INTERVAL, &MeterReward::Pay, this);
    }

  private:
    void Pay()
    {
        auto& arrived = GetNode()->GetObject<Meter>()->m_arrived;
        Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, arrived)));
        arrived = 0;
        Simulator::Schedule(INTERVAL, &MeterReward::Pay, this);
    }
};

class MeterAction : public ActionApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("MeterAction").SetParent<ActionApplication>().AddConstructor<MeterAction>();
        return tid;
    }

  private:
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override
    {
        GetNode()->GetObject<Meter>()->m_told =
            action->Get("default")->GetObject<OpenGymDiscreteContainer>()->GetValue();
    }
};

// Answers the messages of all of its meters.
class MeterAgent : public AgentApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("MeterAgent").SetParent<AgentApplication>().AddConstructor<MeterAgent>();
        return tid;
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_observation = m_obsDataStruct.GetNewestByID(remoteAppId)->data->Get("meter");
        InferAction();
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
        const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
        m_reward += message->Get("reward")->GetObject<OpenGymBoxContainer<double>>()->GetValue(0);
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(2, 0, 1000);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(8);
    }
};

class MeterEnvironment : public Environment
{
  public:
    MeterEnvironment()
        : Environment({.scenario = "meters",
                       .device = "meter",
                       .accesses = {"in-band", "point-to-point", "csma", "wifi"}})
    {
        m_deployment.access = "in-band";
        m_deployment.transport = "udp";
    }

    uint32_t CountDevices() const override
    {
        return m_meters;
    }

    NodeContainer BuildDevices() override
    {
        m_hub = CreateObject<Node>();
        m_nodes.Create(m_meters);
        InternetStackHelper().Install(NodeContainer(m_hub, m_nodes));
        PointToPointHelper links;
        links.SetDeviceAttribute("DataRate", StringValue("1Mbps"));
        links.SetChannelAttribute("Delay", StringValue("2ms"));
        Ipv4AddressHelper addresses("20.0.0.0", "255.255.255.0");
        for (uint32_t i = 0; i < m_meters; i++)
        {
            const auto ends = addresses.Assign(links.Install(m_nodes.Get(i), m_hub));
            addresses.NewNetwork();
            const auto [ipv4, interface] = ends.Get(0);
            Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(ends.GetAddress(1),
                                                                              interface);
            m_nodes.Get(i)->AggregateObject(CreateObject<Meter>());
            ReceiveReadings(m_nodes.Get(i)->GetObject<Meter>(), ends.GetAddress(1));
        }
        if (m_position > 0)
        {
            MobilityHelper mobility;
            mobility.SetPositionAllocator("ns3::GridPositionAllocator",
                                          "MinX",
                                          DoubleValue(m_position));
            mobility.Install(m_nodes);
        }
        return m_nodes;
    }

    Ptr<Node> GetGateway() const override
    {
        return m_hub;
    }

    void StartDevices() override
    {
        for (uint32_t i = 0; i < m_meters; i++)
        {
            const auto socket = Socket::CreateSocket(m_nodes.Get(i), UdpSocketFactory::GetTypeId());
            // The hub's address on the link of another meter, to which this one's default route
            // leads.
            socket->Connect(InetSocketAddress(m_hubAddresses[(i + 1) % m_meters], PORT));
            m_sockets.push_back(socket);
            Simulator::Schedule(INTERVAL, &MeterEnvironment::SendReading, this, i);
        }
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        return {.observation = CreateObject<MeterObservation>(),
                .reward = CreateObject<MeterReward>(),
                .action = m_readOnly ? nullptr : CreateObject<MeterAction>()};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        return CreateObject<MeterAgent>();
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("meters", "Number of meters.", m_meters, 1U, 10U);
        simulation.AddValue("reading_bytes", "Size of a reading.", m_readingBytes, 1U, 1000U);
        simulation.AddValue("read_only", "Whether meters accept no commands.", m_readOnly);
        simulation.AddValue("position", "Where meters are, in m; 0: nowhere.", m_position, 0., 1e4);
    }

    void ReceiveReadings(Ptr<Meter> meter, Ipv4Address address)
    {
        const auto socket = Socket::CreateSocket(m_hub, UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(address, PORT));
        socket->SetRecvCallback(Callback<void, Ptr<Socket>>([meter](Ptr<Socket> from) {
            while (from->Recv())
            {
                meter->m_arrived++;
            }
        }));
        m_sockets.push_back(socket);
        m_hubAddresses.push_back(address);
    }

    void SendReading(uint32_t meter)
    {
        m_sockets[m_meters + meter]->Send(Create<Packet>(m_readingBytes));
        Simulator::Schedule(INTERVAL, &MeterEnvironment::SendReading, this, meter);
    }

    uint32_t m_meters{2};
    uint32_t m_readingBytes{1};
    bool m_readOnly{false};
    double m_position{0};
    Ptr<Node> m_hub;
    NodeContainer m_nodes;
    std::vector<Ipv4Address> m_hubAddresses; // one at each link
    std::vector<Ptr<Socket>> m_sockets;      // of the hub, then of meters
};

} // namespace

int
main(int argc, char* argv[])
{
    MeterEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
