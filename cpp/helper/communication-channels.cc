// SPDX-License-Identifier: GPL-2.0-only

// The channels that a CommunicationHelper makes.

#include "communication-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/channel-address.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/socket-channel-interface.h"

namespace ns3
{

namespace
{

/**
 * @brief Return whether a connection uses IPv6.
 * @param client application that opens the connection
 * @param server application that accepts it
 * @param attributes given addresses
 * @return true for IPv6
 */
bool
UsesIpv6(Ptr<RlApplication> client,
         Ptr<RlApplication> server,
         const SocketCommunicationAttributes& attributes)
{
    for (const auto& address : {attributes.clientAddress, attributes.serverAddress})
    {
        if (!address.IsInvalid())
        {
            return IsIpv6Address(address);
        }
    }
    return IsIpv6Address(client->GetDefaultAddress()) || IsIpv6Address(server->GetDefaultAddress());
}

/**
 * @brief Return the given address or find an address of an application.
 * @param given the given address, or an invalid one
 * @param application the application
 * @param peer the application at the other end
 * @param isIpv6 the IP version
 * @return the address
 */
Address
FindAddress(const Address& given,
            Ptr<RlApplication> application,
            Ptr<RlApplication> peer,
            bool isIpv6)
{
    if (!given.IsInvalid())
    {
        return given;
    }
    auto address = application->GetDefaultAddress();
    if (address.IsInvalid() || IsIpv6Address(address) != isIpv6)
    {
        address =
            isIpv6 ? application->GetDefaultIpv6Address() : application->GetDefaultIpv4Address();
    }
    NS_ABORT_MSG_IF(address.IsInvalid(),
                    application->GetId()
                        << " cannot communicate with " << peer->GetId() << " over "
                        << (isIpv6 ? "IPv6" : "IPv4")
                        << ": its node has no such address. Install an Internet stack and assign "
                           "addresses before AddCommunication(), or use {} as attributes");
    return address;
}

} // namespace

CommunicationHelper::Channel
CommunicationHelper::CreateSimpleChannel(const CommunicationAttributes& attributes)
{
    const Channel channel{CreateObject<SimpleChannelInterface>(),
                          CreateObject<SimpleChannelInterface>()};
    for (const auto& end : {channel.first, channel.second})
    {
        end->SetAttribute("PropagationDelay", TimeValue(attributes.delay));
        end->SetAttribute("LossRate", DoubleValue(attributes.lossRate));
        end->SetAttribute("Synchronous", BooleanValue(attributes.synchronous));
        if (attributes.jitter)
        {
            end->SetAttribute("Jitter", PointerValue(attributes.jitter));
        }
    }
    return channel;
}

CommunicationHelper::Channel
CommunicationHelper::CreateSocketChannel(Ptr<RlApplication> client,
                                         Ptr<RlApplication> server,
                                         const SocketCommunicationAttributes& attributes) const
{
    const auto isIpv6 = UsesIpv6(client, server, attributes);
    const auto clientAddress = FindAddress(attributes.clientAddress, client, server, isIpv6);
    const auto serverAddress = FindAddress(attributes.serverAddress, server, client, isIpv6);
    const Channel channel{
        CreateObject<SocketChannelInterface>(client->GetNode(), clientAddress, attributes.protocol),
        CreateObject<SocketChannelInterface>(server->GetNode(),
                                             serverAddress,
                                             attributes.protocol)};
    const auto connectTime =
        attributes.connectTime.IsZero() ? m_connectTime : attributes.connectTime;
    channel.first->SetAttribute("ConnectTime", TimeValue(connectTime));
    return channel;
}

} // namespace ns3
