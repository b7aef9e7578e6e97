// SPDX-License-Identifier: GPL-2.0-only

// The scenario of callables.cc, with RL applications that are classes without defaults.

#include "queue-network.h"

#include <algorithm>

using namespace ns3;

namespace
{

class QueueObservation : public ObservationApplication
{
  public:
    explicit QueueObservation(Ptr<Queue<Packet>> queue)
        : m_queue(queue)
    {
    }

    void RegisterCallbacks() override
    {
        m_queue->TraceConnectWithoutContext("PacketsInQueue",
                                            MakeCallback(&QueueObservation::Changed, this));
        Simulator::Schedule(MilliSeconds(100), &QueueObservation::Observe, this);
    }

  private:
    void Changed(uint32_t before, uint32_t now)
    {
        m_packets = now;
        m_peak = std::max(m_peak, now);
    }

    void Observe()
    {
        const double size = m_queue->GetMaxSize().GetValue();
        const auto seen = MakeBoxContainer<float>(2, m_packets / size, m_peak / size);
        Send(MakeDictContainer("queue", seen));
        m_peak = m_packets;
        Simulator::Schedule(MilliSeconds(100), &QueueObservation::Observe, this);
    }

    Ptr<Queue<Packet>> m_queue;
    uint32_t m_packets{0};
    uint32_t m_peak{0};
};

class QueueReward : public RewardApplication
{
  public:
    explicit QueueReward(Ptr<Queue<Packet>> queue)
        : m_queue(queue)
    {
    }

    void RegisterCallbacks() override
    {
        m_queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&QueueReward::Sent, this));
        m_queue->TraceConnectWithoutContext("Drop", MakeCallback(&QueueReward::Dropped, this));
    }

  private:
    void Sent(Ptr<const Packet> packet)
    {
        Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, 0.1)));
    }

    void Dropped(Ptr<const Packet> packet)
    {
        Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, -0.5)));
    }

    Ptr<Queue<Packet>> m_queue;
};

class RateAction : public ActionApplication
{
  public:
    RateAction(Ptr<Application> source, DataRate linkRate)
        : m_source(source),
          m_linkRate(linkRate)
    {
    }

  private:
    void ExecuteAction(uint32_t agent, Ptr<OpenGymDictContainer> action) override
    {
        const auto level =
            action->Get("default")->GetObject<OpenGymDiscreteContainer>()->GetValue();
        m_source->SetAttribute("DataRate", DataRateValue(m_linkRate * ((level + 1) / 4.0)));
    }

    Ptr<Application> m_source;
    DataRate m_linkRate;
};

class RateAgent : public AgentApplication
{
    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_observation = m_obsDataStruct.GetNewestByID(remoteAppId)->data->Get("queue");
        InferAction();
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
        const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
        m_reward += message->Get("reward")->GetObject<OpenGymBoxContainer<double>>()->GetValue(0);
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(2, 0, 1);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(4);
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    const DataRate dataRate("1Mbps");
    RlSimulation simulation("classes");
    simulation.Parse(argc, argv);
    NodeContainer nodes(2);
    const auto queue = BuildLink(nodes, dataRate, MilliSeconds(10));
    const auto source = InstallTraffic(nodes, dataRate);

    RlApplicationHelper helper;
    const auto observers = helper.Install<QueueObservation>(nodes.Get(0), queue);
    const auto rewarders = helper.Install<QueueReward>(nodes.Get(0), queue);
    const auto actors = helper.Install<RateAction>(nodes.Get(0), source, dataRate);
    const auto agents = helper.Install<RateAgent>(nodes.Get(1));

    CommunicationHelper communication;
    communication.SetObservationApps(observers);
    communication.SetRewardApps(rewarders);
    communication.SetActionApps(actors);
    communication.SetAgentApps(agents);
    communication.SetIds();
    const SocketCommunicationAttributes udp;
    communication.AddCommunication({{observers.GetId(0), agents.GetId(0), udp},
                                    {rewarders.GetId(0), agents.GetId(0), {}},
                                    {actors.GetId(0), agents.GetId(0), udp}});
    communication.Configure();
    return simulation.Run(Seconds(10));
}
