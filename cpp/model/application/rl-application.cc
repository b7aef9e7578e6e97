// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application.h"

#include "default-address.h"

#include "ns3/abort.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/log.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RlApplication");
NS_OBJECT_ENSURE_REGISTERED(RlApplication);

TypeId
RlApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RlApplication")
                            .SetParent<Application>()
                            .SetGroupName("defiance")
                            .AddConstructor<RlApplication>();
    return tid;
}

RlApplication::RlApplication()
    : RlApplication(ApplicationType::OBSERVATION)
{
}

RlApplication::RlApplication(ApplicationType type)
    : m_id{type}
{
}

RlApplication::~RlApplication() = default;

void
RlApplication::DoDispose()
{
    for (std::size_t type = 0; type < m_interfaces.size(); ++type)
    {
        for (const auto& [remoteAppId, interfaces] : m_interfaces[type])
        {
            const RlApplicationId remoteId{static_cast<ApplicationType>(type), remoteAppId};
            for (const auto& [interfaceId, interface] : interfaces)
            {
                interface->RemoveRecvCallback(MakeReceiveCallback(remoteId));
            }
        }
        m_interfaces[type].clear();
    }
    Application::DoDispose();
}

void
RlApplication::SetId(RlApplicationId id)
{
    NS_LOG_FUNCTION(this << id);
    NS_ABORT_MSG_IF(m_isSetUp && id != m_id,
                    "Application " << m_id << " cannot become " << id
                                   << ": set the ids before Setup() or Configure()");
    m_id = id;
}

RlApplicationId
RlApplication::GetId() const
{
    return m_id;
}

void
RlApplication::SetDefaultAddress(const Address& address)
{
    m_defaultAddress = address;
}

Address
RlApplication::GetDefaultAddress() const
{
    if (!m_defaultAddress.IsInvalid())
    {
        return m_defaultAddress;
    }
    const auto ipv4 = GetDefaultIpv4Address();
    const auto ipv6 = GetDefaultIpv6Address();
    const auto hasOnlyLoopback = ipv4 == Address(Ipv4Address::GetLoopback());
    const auto isIpv6Reachable = !ipv6.IsInvalid() && ipv6 != Address(Ipv6Address::GetLoopback());
    return ipv4.IsInvalid() || (hasOnlyLoopback && isIpv6Reachable) ? ipv6 : ipv4;
}

Address
RlApplication::GetDefaultIpv4Address() const
{
    return FindDefaultIpv4Address(m_node);
}

Address
RlApplication::GetDefaultIpv6Address() const
{
    return FindDefaultIpv6Address(m_node);
}

void
RlApplication::Setup()
{
    NS_LOG_FUNCTION(this);
    m_isSetUp = true;
}

bool
RlApplication::IsSetUp() const
{
    return m_isSetUp;
}

void
RlApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (!m_isSetUp)
    {
        Setup();
    }
    m_running = true;
}

void
RlApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_running = false;
}

uint32_t
RlApplication::AddInterface(RlApplicationId remoteId, Ptr<ChannelInterface> interface)
{
    NS_LOG_FUNCTION(this << remoteId << interface);
    NS_ABORT_MSG_IF(!interface, "The channel from " << m_id << " to " << remoteId << " is null");
    NS_ABORT_MSG_UNLESS(SupportsInterfacesTo(remoteId.applicationType),
                        GetInstanceTypeId().GetName()
                            << " " << m_id << " cannot exchange messages with " << remoteId);
    auto& interfaces = m_interfaces.at(remoteId.applicationType)[remoteId.applicationId];
    for (const auto& [id, known] : interfaces)
    {
        NS_ABORT_MSG_IF(known == interface,
                        m_id << " already has this channel to " << remoteId << " as interface "
                             << id << ": each end of a channel is an object of its own");
    }
    const auto interfaceId = interfaces.empty() ? 0 : interfaces.rbegin()->first + 1;
    interfaces.emplace(interfaceId, interface);
    interface->SetMessageKind(GetMessageKindTo(remoteId.applicationType));
    interface->AddRecvCallback(MakeReceiveCallback(remoteId));
    return interfaceId;
}

void
RlApplication::DeleteInterface(RlApplicationId remoteId, uint32_t interfaceId)
{
    NS_LOG_FUNCTION(this << remoteId << interfaceId);
    const auto interface = GetInterface(remoteId, interfaceId);
    interface->RemoveRecvCallback(MakeReceiveCallback(remoteId));
    interface->Disconnect();
    auto& interfacesOfType = m_interfaces.at(remoteId.applicationType);
    auto& interfaces = interfacesOfType.at(remoteId.applicationId);
    interfaces.erase(interfaceId);
    if (interfaces.empty())
    {
        interfacesOfType.erase(remoteId.applicationId);
        OnLastInterfaceDeleted(remoteId);
    }
}

Ptr<ChannelInterface>
RlApplication::GetInterface(RlApplicationId remoteId, uint32_t interfaceId) const
{
    const auto& interfaces = GetInterfaces(remoteId);
    const auto found = interfaces.find(interfaceId);
    NS_ABORT_MSG_IF(found == interfaces.end(),
                    m_id << " has no interface " << interfaceId << " to " << remoteId
                         << "; the highest is " << interfaces.rbegin()->first);
    return found->second;
}

std::vector<uint32_t>
RlApplication::GetInterfaceIds(RlApplicationId remoteId) const
{
    std::vector<uint32_t> ids;
    const auto& interfacesOfType = GetInterfaces(remoteId.applicationType);
    if (const auto found = interfacesOfType.find(remoteId.applicationId);
        found != interfacesOfType.end())
    {
        for (const auto& [id, interface] : found->second)
        {
            ids.push_back(id);
        }
    }
    return ids;
}

const InterfaceMap&
RlApplication::GetInterfaces(ApplicationType type) const
{
    return m_interfaces.at(type);
}

const std::map<uint32_t, Ptr<ChannelInterface>>&
RlApplication::GetInterfaces(RlApplicationId remoteId) const
{
    const auto& interfacesOfType = GetInterfaces(remoteId.applicationType);
    const auto found = interfacesOfType.find(remoteId.applicationId);
    NS_ABORT_MSG_IF(found == interfacesOfType.end(),
                    m_id << " has no interface to " << remoteId
                         << ": add one with AddInterface() or CommunicationHelper");
    return found->second;
}

void
RlApplication::Send(Ptr<OpenGymDictContainer> data,
                    const std::vector<Ptr<ChannelInterface>>& interfaces)
{
    for (const auto& interface : interfaces)
    {
        if (m_running)
        {
            interface->Send(data);
        }
    }
}

void
RlApplication::Send(Ptr<OpenGymDictContainer> data,
                    const std::map<uint32_t, Ptr<ChannelInterface>>& interfaces)
{
    std::vector<Ptr<ChannelInterface>> list;
    for (const auto& [id, interface] : interfaces)
    {
        list.push_back(interface);
    }
    Send(data, list);
}

void
RlApplication::Send(Ptr<OpenGymDictContainer> data, const InterfaceMap& interfaces)
{
    std::vector<Ptr<ChannelInterface>> list;
    for (const auto& [remoteAppId, interfacesToApp] : interfaces)
    {
        for (const auto& [id, interface] : interfacesToApp)
        {
            list.push_back(interface);
        }
    }
    Send(data, list);
}

bool
RlApplication::SupportsInterfacesTo(ApplicationType type) const
{
    return false;
}

std::string
RlApplication::GetMessageKindTo(ApplicationType type) const
{
    return ApplicationTypeToString(m_id.applicationType);
}

void
RlApplication::OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    NS_LOG_LOGIC(m_id << " ignores a message from " << remoteId);
}

void
RlApplication::OnLastInterfaceDeleted(RlApplicationId remoteId)
{
    NS_LOG_LOGIC(m_id << " has no more interface to " << remoteId);
}

void
RlApplication::Receive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    if (m_running)
    {
        OnReceive(remoteId, data);
    }
}

ChannelInterface::RecvCallback
RlApplication::MakeReceiveCallback(RlApplicationId remoteId)
{
    return MakeCallback(&RlApplication::Receive, this).Bind(remoteId);
}

} // namespace ns3
