// SPDX-License-Identifier: GPL-2.0-only

// A scenario that writes trace files: a packet trace of ns-3, an ASCII trace, and one through the C
// library. They are written when their buffers are full, and at the end.

#include "ns3/core-module.h"
#include "ns3/defiance-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cstdio>

using namespace ns3;

namespace
{

// An agent whose decision is a number of packets to send.
class Sender : public SimpleRefCount<Sender>
{
  public:
    Sender(Ptr<Socket> socket, std::FILE* diary)
        : m_socket(socket),
          m_diary(diary)
    {
        auto interface = OpenGymMultiAgentInterface::Get();
        auto space = [] { return Ptr<OpenGymSpace>(MakeDiscreteSpace(1000)); };
        interface->SetGetObservationSpaceCb("agent_0", Callback<Ptr<OpenGymSpace>>(space));
        interface->SetGetActionSpaceCb("agent_0", Callback<Ptr<OpenGymSpace>>(space));
        Simulator::ScheduleNow(&Sender::Ask, this);
    }

  private:
    void Ask()
    {
        OpenGymMultiAgentInterface::Get()->NotifyCurrentState("agent_0",
                                                              MakeDiscreteContainer(m_last),
                                                              1.0,
                                                              false,
                                                              {},
                                                              Time(0),
                                                              MakeCallback(&Sender::Act, this));
    }

    void Act(Ptr<OpenGymDataContainer> action)
    {
        m_last = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        std::fprintf(m_diary, "%ld %ld\n", Simulator::Now().GetNanoSeconds(), m_last);
        for (int64_t i = 0; i < m_last; ++i)
        {
            m_socket->Send(Create<Packet>(100));
        }
        Simulator::Schedule(MilliSeconds(10), &Sender::Ask, this);
    }

    Ptr<Socket> m_socket;
    std::FILE* m_diary;
    int64_t m_last{0};
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string directory = ".";
    RlSimulation simulation("tracing");
    simulation.AddValue("directory", "Where the files are written.", directory);
    simulation.Parse(argc, argv);

    NodeContainer nodes(2);
    PointToPointHelper link;
    const auto devices = link.Install(nodes);
    InternetStackHelper internet;
    internet.Install(nodes);
    const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    link.EnablePcap(directory + "/trace", devices.Get(0));
    AsciiTraceHelper ascii;
    link.EnableAscii(ascii.CreateFileStream(directory + "/trace.tr"), devices.Get(0));
    std::FILE* diary = std::fopen((directory + "/diary.txt").c_str(), "w");

    auto socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
    socket->Connect(InetSocketAddress(addresses.GetAddress(1), 9));
    auto sender = Create<Sender>(socket, diary);
    const int status = simulation.Run(Seconds(1));
    std::fclose(diary);
    return status;
}
