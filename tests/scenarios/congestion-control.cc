// SPDX-License-Identifier: GPL-2.0-only

// A TCP sender whose congestion control is an agent: Python decides each number that TCP requests
// before the call returns. With decider=ns-3 it is ns-3's own TcpNewReno instead.

#include "ns3/action-application.h"
#include "ns3/agent-application.h"
#include "ns3/applications-module.h"
#include "ns3/communication-helper.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/observation-application.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-env.h"
#include "ns3/point-to-point-module.h"
#include "ns3/rl-application-helper.h"
#include "ns3/rl-simulation.h"

using namespace ns3;

namespace
{

constexpr double LARGEST = 4294967295;

/** The requested number: a window after an acknowledgement, or a slow start threshold. */
enum Question
{
    WINDOW,
    THRESHOLD,
};

// question, window, threshold, segment size, segments acknowledged, bytes in flight
using State = std::vector<double>;

Ptr<OpenGymSpace>
GetStates()
{
    return MakeBoxSpace<double>(6, 0, LARGEST);
}

Ptr<OpenGymSpace>
GetNumbers()
{
    return MakeBoxSpace<double>(1, 0, LARGEST);
}

uint32_t
ToNumber(Ptr<OpenGymDataContainer> action)
{
    // No action is left at the last instant of the episode.
    return action ? DynamicCast<OpenGymBoxContainer<double>>(action)->GetValue(0) : 0;
}

// --- four ways to get a number

std::function<uint32_t(const State&)> g_decide; //!< The function of this run

void
DecideDirectly()
{
    const auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb("agent_0", MakeCallback(&GetStates));
    interface->SetGetActionSpaceCb("agent_0", MakeCallback(&GetNumbers));
    g_decide = [interface](const State& state) {
        return ToNumber(interface->RequestAction("agent_0", MakeBoxContainer(state), 0));
    };
}

class CongestionEnv : public OpenGymEnv
{
  public:
    uint32_t Decide(const State& state)
    {
        m_state = state;
        Notify();
        return m_number;
    }

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return GetStates();
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return GetNumbers();
    }

    bool GetGameOver() override
    {
        return false;
    }

    Ptr<OpenGymDataContainer> GetObservation() override
    {
        return MakeBoxContainer(m_state);
    }

    float GetReward() override
    {
        return 0;
    }

    std::string GetExtraInfo() override
    {
        return "";
    }

    bool ExecuteActions(Ptr<OpenGymDataContainer> action) override
    {
        m_number = ToNumber(action);
        return true;
    }

    State m_state;
    uint32_t m_number{0}; // no window at all, unless it has been executed
};

void
DecideInEnv()
{
    const auto env = CreateObject<CongestionEnv>();
    env->SetOpenGymInterface(OpenGymInterface::Get());
    g_decide = [env](const State& state) { return env->Decide(state); };
}

class CongestionAgent : public AgentApplication
{
  public:
    uint32_t Decide(const State& state)
    {
        m_observation = MakeBoxContainer(state);
        return ToNumber(RequestAction());
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_observation = m_obsDataStruct.GetNewestByID(remoteAppId)->data->Get("state");
        InferAction();
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return GetStates();
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return GetNumbers();
    }
};

class CongestionObserver : public ObservationApplication
{
  public:
    void Observe(const State& state)
    {
        Send(MakeDictContainer("state", MakeBoxContainer(state)));
    }

  private:
    void RegisterCallbacks() override
    {
    }
};

class CongestionActor : public ActionApplication
{
  public:
    uint32_t m_number{0};

  private:
    void ExecuteAction(uint32_t agent, Ptr<OpenGymDictContainer> action) override
    {
        m_number = ToNumber(action->Get("default"));
    }
};

void
DecideByApplication(Ptr<Node> node)
{
    const auto agent = CreateObject<CongestionAgent>();
    agent->SetId({ApplicationType::AGENT, 0});
    node->AddApplication(agent);
    agent->Setup();
    g_decide = [agent](const State& state) { return agent->Decide(state); };
}

void
DecideThroughChannels(Ptr<Node> node)
{
    const auto agent = CreateObject<CongestionAgent>();
    agent->SetAttribute("Synchronous", BooleanValue(true));
    const auto observer = CreateObject<CongestionObserver>();
    const auto actor = CreateObject<CongestionActor>();
    for (const Ptr<Application>& application :
         {Ptr<Application>(observer), Ptr<Application>(agent), Ptr<Application>(actor)})
    {
        node->AddApplication(application);
    }
    CommunicationHelper communication;
    communication.SetObservationApps(RlApplicationContainer(observer));
    communication.SetAgentApps(RlApplicationContainer(agent));
    communication.SetActionApps(RlApplicationContainer(actor));
    communication.SetIds();
    const CommunicationAttributes atOnce{.synchronous = true};
    communication.AddCommunication(
        {{observer->GetId(), agent->GetId(), atOnce}, {actor->GetId(), agent->GetId(), atOnce}});
    communication.Configure();
    g_decide = [observer, actor](const State& state) {
        actor->m_number = 0;
        observer->Observe(state);
        return actor->m_number;
    };
}

// --- the TCP sender

class TcpAgent : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TcpAgent").SetParent<TcpNewReno>().AddConstructor<TcpAgent>();
        return tid;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return g_decide(Describe(THRESHOLD, tcb, 0, bytesInFlight));
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        tcb->m_cWnd = g_decide(Describe(WINDOW, tcb, segmentsAcked, 0));
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<TcpAgent>(this);
    }

  private:
    static State Describe(Question question,
                          Ptr<const TcpSocketState> tcb,
                          uint32_t acked,
                          uint32_t inFlight)
    {
        return {double(question),
                double(tcb->m_cWnd),
                double(tcb->m_ssThresh),
                double(tcb->m_segmentSize),
                double(acked),
                double(inFlight)};
    }
};

uint64_t g_packets{0};
uint64_t g_digest{14695981039346656037U}; // FNV-1a over times and bytes of sent packets

void
Count(Ptr<const Packet> packet)
{
    ++g_packets;
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    const auto now = Simulator::Now().GetNanoSeconds();
    const auto* clock = reinterpret_cast<const uint8_t*>(&now);
    bytes.insert(bytes.end(), clock, clock + sizeof(now));
    for (const auto byte : bytes)
    {
        g_digest = (g_digest ^ byte) * 1099511628211U;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string decider = "direct";
    RlSimulation simulation("congestion_control");
    simulation.AddChoice("decider",
                         "Decider: ns-3, or an agent that decides in one of four ways.",
                         decider,
                         {"ns-3", "direct", "env", "application", "channels"});
    simulation.Parse(argc, argv);

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("2Mbps"));
    link.SetChannelAttribute("Delay", StringValue("10ms"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("12p"));
    link.DisableFlowControl();
    const auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    devices.Get(0)->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Count));

    nodes.Get(0)->GetObject<TcpL4Protocol>()->SetAttribute(
        "SocketType",
        TypeIdValue(decider == "ns-3" ? TcpNewReno::GetTypeId() : TcpAgent::GetTypeId()));
    PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9))
        .Install(nodes.Get(1));
    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress("10.0.0.2", 9));
    sender.Install(nodes.Get(0)).Start(MilliSeconds(1));

    const std::map<std::string, std::function<void()>> ways{
        {"ns-3", [] {}},
        {"direct", [] { DecideDirectly(); }},
        {"env", [] { DecideInEnv(); }},
        {"application", [&] { DecideByApplication(nodes.Get(0)); }},
        {"channels", [&] { DecideThroughChannels(nodes.Get(0)); }}};
    ways.at(decider)();

    const auto status = simulation.Run(Seconds(5));
    std::cout << "packets " << g_packets << " digest " << g_digest << std::endl;
    return status;
}
