// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_SENDER_H
#define FLOW_SENDER_H

#include "sender-parameters.h"
#include "tcp-flow.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/tcp-congestion-ops.h"

namespace ns3
{

/**
 * Make an application that sends as much as TCP accepts, from its start to its stop, as ns-3's
 * BulkSendApplication does. At its stop it closes the connection, and TCP still delivers the data
 * in its send buffer.
 *
 * @param parameters The properties of the connection; they outlive the application.
 * @param remote Address of the receiver.
 * @param control Congestion control of the connection.
 * @param flow The observer of the connection's events.
 * @return the application
 */
Ptr<Application> MakeFlowSender(const SenderParameters& parameters,
                                const Address& remote,
                                Ptr<TcpCongestionOps> control,
                                Ptr<TcpFlow> flow);

} // namespace ns3

#endif // FLOW_SENDER_H
