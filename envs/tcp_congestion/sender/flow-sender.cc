// SPDX-License-Identifier: GPL-2.0-only

#include "flow-sender.h"

#include "flow-probe.h"

#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

FlowSender::FlowSender(const FlowSetup& setup, Ptr<TcpCongestionOps> control, Ptr<TcpFlow> flow)
    : m_setup(setup),
      m_control(control),
      m_flow(flow)
{
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
FlowSender::StartApplication()
{
    const auto socket = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
    m_socket = DynamicCast<TcpSocketBase>(socket);
    m_socket->SetAttribute("SegmentSize", UintegerValue(m_setup.segmentSize));
    m_socket->SetAttribute("InitialCwnd", UintegerValue(m_setup.initialWindow));
    ObjectFactory recovery;
    recovery.SetTypeId(m_setup.recovery);
    m_socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
    m_socket->SetCongestionControlAlgorithm(CreateObject<FlowProbe>(m_flow, m_control));
    m_socket->TraceConnectWithoutContext("State", MakeCallback(&FlowSender::NotifyState, this));
    m_socket->TraceConnectWithoutContext("Retransmission",
                                         MakeCallback(&FlowSender::NotifyRetransmission, this));
    m_open = true;
    m_socket->Bind();
    m_socket->Connect(m_setup.remote);
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
    while (m_open && m_flow->IsActive() && m_socket->GetTxAvailable() >= m_setup.segmentSize &&
           m_socket->Send(Create<Packet>(m_setup.segmentSize), 0) > 0)
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
