// SPDX-License-Identifier: GPL-2.0-only

#include "flow-sender.h"

#include "flow-probe.h"

#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowSender);

TypeId
FlowSender::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowSender")
                            .SetParent<Application>()
                            .SetGroupName("defiance")
                            .AddConstructor<FlowSender>()
                            .AddAttribute("Remote",
                                          "Address of the receiver.",
                                          AddressValue(),
                                          MakeAddressAccessor(&FlowSender::m_remote),
                                          MakeAddressChecker())
                            .AddAttribute("Recovery",
                                          "Class of the loss recovery.",
                                          TypeIdValue(TcpPrrRecovery::GetTypeId()),
                                          MakeTypeIdAccessor(&FlowSender::m_recovery),
                                          MakeTypeIdChecker())
                            .AddAttribute("SegmentSize",
                                          "Payload of a segment in bytes.",
                                          UintegerValue(1448),
                                          MakeUintegerAccessor(&FlowSender::m_segmentSize),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("InitialWindow",
                                          "First congestion window, in segments.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&FlowSender::m_initialWindow),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
FlowSender::DoDispose()
{
    m_control = nullptr;
    m_flow = nullptr;
    m_socket = nullptr;
    Application::DoDispose();
}

void
FlowSender::SetControl(Ptr<TcpCongestionOps> control)
{
    m_control = control;
}

void
FlowSender::StartApplication()
{
    m_flow = GetNode()->GetObject<TcpFlow>();
    const auto socket = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
    m_socket = DynamicCast<TcpSocketBase>(socket);
    m_socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    m_socket->SetAttribute("InitialCwnd", UintegerValue(m_initialWindow));
    ObjectFactory recovery;
    recovery.SetTypeId(m_recovery);
    m_socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
    const auto probe = CreateObject<FlowProbe>();
    probe->SetUp(m_flow, m_control);
    m_socket->SetCongestionControlAlgorithm(probe);
    m_socket->TraceConnectWithoutContext("State", MakeCallback(&FlowSender::NotifyState, this));
    m_socket->TraceConnectWithoutContext("Retransmission",
                                         MakeCallback(&FlowSender::NotifyRetransmission, this));
    m_open = true;
    m_socket->Bind();
    m_socket->Connect(m_remote);
    m_socket->ShutdownRecv();
    m_socket->SetConnectCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { Fill(); }),
                                 MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetSendCallback(
        Callback<void, Ptr<Socket>, uint32_t>([this](Ptr<Socket>, uint32_t) { Fill(); }));
}

void
FlowSender::StopApplication()
{
    m_open = false;
    if (m_socket)
    {
        m_socket->Close();
    }
}

void
FlowSender::Fill()
{
    while (m_open && m_flow->IsActive() && m_socket->GetTxAvailable() >= m_segmentSize &&
           m_socket->Send(Create<Packet>(m_segmentSize), 0) > 0)
    {
    }
}

void
FlowSender::NotifyState(TcpSocket::TcpStates_t, TcpSocket::TcpStates_t after)
{
    switch (after)
    {
    case TcpSocket::ESTABLISHED:
        m_flow->Join();
        break;
    case TcpSocket::FIN_WAIT_2: // the receiver has acknowledged the last byte
    case TcpSocket::TIME_WAIT:
    case TcpSocket::CLOSED:
        m_flow->Leave();
        break;
    default:
        break;
    }
}

void
FlowSender::NotifyRetransmission(Ptr<const Packet>,
                                 const TcpHeader&,
                                 const Address&,
                                 const Address&,
                                 Ptr<const TcpSocketBase>)
{
    m_flow->NotifyRetransmission();
}

} // namespace ns3
