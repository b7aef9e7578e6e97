// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-socket.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/simulator.h"
#include "ns3/socket-factory.h"

namespace ns3
{

Ptr<MessageSocket>
MessageSocket::Create(Ptr<Node> node, TypeId protocol, Callbacks callbacks)
{
    const auto factory = node->GetObject<SocketFactory>(protocol);
    NS_ABORT_MSG_IF(!factory,
                    "Node " << node->GetId() << " has no " << protocol.GetName()
                            << ": install an Internet stack on it before it connects a channel");
    const auto socket = factory->CreateSocket();
    const bool isStream = socket->GetSocketType() == Socket::NS3_SOCK_STREAM;
    return (isStream ? MakeStream : MakeDatagram)(socket, std::move(callbacks));
}

MessageSocket::MessageSocket(Ptr<Socket> socket, Callbacks callbacks)
    : m_socket(socket),
      m_callbacks(std::move(callbacks))
{
}

MessageSocket::~MessageSocket() = default;

void
MessageSocket::Bind(const Address& address)
{
    const auto status = m_socket->Bind(address);
    NS_ABORT_MSG_IF(status != 0,
                    "Cannot bind a channel to " << DescribeAddress(address)
                                                << ": is its port already in use?");
}

Address
MessageSocket::GetBoundAddress() const
{
    Address address;
    m_socket->GetSockName(address);
    return address;
}

void
MessageSocket::ClearCallbacks(Ptr<Socket> socket)
{
    const auto none = MakeNullCallback<void, Ptr<Socket>>();
    socket->SetConnectCallback(none, none);
    socket->SetCloseCallbacks(none, none);
    socket->SetRecvCallback(none);
    socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                              MakeNullCallback<void, Ptr<Socket>, const Address&>());
}

void
MessageSocket::Abandon()
{
    DoAbandon();
    ClearCallbacks(m_socket);
    m_socket = nullptr;
    m_callbacks = {};
}

void
MessageSocket::Close()
{
    const auto socket = m_socket;
    Abandon();
    socket->Close();
}

void
MessageSocket::CloseLater()
{
    const auto socket = m_socket;
    Abandon();
    Simulator::ScheduleNow([socket] { socket->Close(); });
}

} // namespace ns3
