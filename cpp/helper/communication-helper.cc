// SPDX-License-Identifier: GPL-2.0-only

#include "communication-helper.h"

#include "ns3/abort.h"
#include "ns3/action-application.h"
#include "ns3/agent-application.h"
#include "ns3/boolean.h"
#include "ns3/channel-address.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/observation-application.h"
#include "ns3/pointer.h"
#include "ns3/reward-application.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/socket-channel-interface.h"
#include "ns3/training-server-application.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CommunicationHelper");

namespace
{

/**
 * @brief Return whether an application supports a type.
 * @param application the application
 * @param type the type
 * @return whether its class allows the type
 */
bool
CanBe(Ptr<RlApplication> application, ApplicationType type)
{
    switch (type)
    {
    case ApplicationType::OBSERVATION:
        return DynamicCast<DataCollectorApplication>(application) &&
               !DynamicCast<RewardApplication>(application);
    case ApplicationType::REWARD:
        return DynamicCast<DataCollectorApplication>(application) &&
               !DynamicCast<ObservationApplication>(application);
    case ApplicationType::AGENT:
        return DynamicCast<AgentApplication>(application) != nullptr;
    case ApplicationType::ACTION:
        return DynamicCast<ActionApplication>(application) != nullptr;
    default:
        return DynamicCast<TrainingServerApplication>(application) != nullptr;
    }
}

/**
 * @brief Abort unless an application supports a type.
 * @param application the application
 * @param type the type
 */
void
RequirePart(Ptr<RlApplication> application, ApplicationType type)
{
    NS_ABORT_MSG_UNLESS(CanBe(application, type),
                        application->GetInstanceTypeId().GetName()
                            << " cannot be set as " << ApplicationTypeToString(type)
                            << " application: it is not derived from that class");
}

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

void
CommunicationHelper::Connect(const RlApplicationContainer& clients,
                             const RlApplicationContainer& servers,
                             const AnyCommunicationAttributes& how)
{
    const auto pairs = std::max(clients.GetN(), servers.GetN());
    for (const auto& side : {clients, servers})
    {
        NS_ABORT_MSG_UNLESS(side.GetN() == pairs || side.GetN() == 1,
                            "Connect() cannot connect "
                                << clients.GetN() << " with " << servers.GetN()
                                << " applications: give equal numbers, or one on one side");
        Add(side);
    }
    std::vector<CommunicationPair> edges;
    for (uint32_t i = 0; i < pairs; ++i)
    {
        edges.push_back({clients.GetId(clients.GetN() == 1 ? 0 : i),
                         servers.GetId(servers.GetN() == 1 ? 0 : i),
                         how});
    }
    AddCommunication(edges);
}

void
CommunicationHelper::Add(const RlApplicationContainer& applications)
{
    for (const auto& application : applications)
    {
        const auto type = application->GetId().applicationType;
        auto& known = m_applications.at(type);
        if (std::find(known.begin(), known.end(), application) == known.end())
        {
            RequirePart(application, type);
            known.Add(application);
        }
    }
    SetIds();
}

void
CommunicationHelper::SetApps(ApplicationType type, const RlApplicationContainer& applications)
{
    for (const auto& application : applications)
    {
        RequirePart(application, type);
    }
    m_applications.at(type) = applications;
    m_hasIds = false;
}

void
CommunicationHelper::SetIds()
{
    for (std::size_t type = 0; type < m_applications.size(); ++type)
    {
        uint32_t number = 0;
        for (const auto& application : m_applications[type])
        {
            application->SetId({static_cast<ApplicationType>(type), number++});
        }
    }
    m_hasIds = true;
}

void
CommunicationHelper::RequireIds(const std::string& caller) const
{
    NS_ABORT_MSG_UNLESS(m_hasIds,
                        caller << " needs the ids of all applications: call SetIds() before, and "
                                  "after the last Set...Apps()");
}

void
CommunicationHelper::Configure()
{
    RequireIds("Configure()");
    for (const auto& applications : m_applications)
    {
        for (const auto& application : applications)
        {
            if (m_configured.insert(application).second)
            {
                application->Setup();
            }
        }
    }
}

Ptr<RlApplication>
CommunicationHelper::GetApp(RlApplicationId id) const
{
    RequireIds("GetApp()");
    const auto& applications = m_applications.at(id.applicationType);
    NS_ABORT_MSG_IF(id.applicationId >= applications.GetN(),
                    "There is no application " << id << " among " << applications.GetN()
                                               << ": was its id taken before SetIds()?");
    return applications.Get(id.applicationId);
}

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

void
CommunicationHelper::AddCommunication(const std::vector<CommunicationPair>& communicationPairs)
{
    RequireIds("AddCommunication()");
    for (const auto& [clientId, serverId, attributes] : communicationPairs)
    {
        const auto client = GetApp(clientId);
        const auto server = GetApp(serverId);
        const auto* socketAttributes = std::get_if<SocketCommunicationAttributes>(&attributes);
        Channel channel;
        if (!socketAttributes)
        {
            channel = CreateSimpleChannel(std::get<CommunicationAttributes>(attributes));
        }
        else if (m_useSimpleOnSameNode && client->GetNode() == server->GetNode())
        {
            channel = CreateSimpleChannel({});
        }
        else
        {
            channel = CreateSocketChannel(client, server, *socketAttributes);
        }
        client->AddInterface(serverId, channel.first);
        server->AddInterface(clientId, channel.second);
        channel.first->Connect(channel.second);
    }
}

void
CommunicationHelper::DeleteCommunication(RlApplicationId localAppId,
                                         RlApplicationId remoteAppId,
                                         uint32_t localInterfaceId,
                                         uint32_t remoteInterfaceId)
{
    const auto local = GetApp(localAppId);
    const auto remote = GetApp(remoteAppId);
    const auto peer = local->GetInterface(remoteAppId, localInterfaceId)->GetPeer();
    NS_ABORT_MSG_IF(peer && peer != remote->GetInterface(localAppId, remoteInterfaceId),
                    "Interface " << localInterfaceId << " of " << localAppId << " and interface "
                                 << remoteInterfaceId << " of " << remoteAppId
                                 << " are not the ends of one channel");
    local->DeleteInterface(remoteAppId, localInterfaceId);
    remote->DeleteInterface(localAppId, remoteInterfaceId);
}

} // namespace ns3
