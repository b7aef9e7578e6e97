// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application.h"

#include "episode-recording.h"
#include "transfer-service.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/communication-statistics.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-type.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RlApplication");
NS_OBJECT_ENSURE_REGISTERED(RlApplication);

TypeId
RlApplication::GetTypeId()
{
    static TypeId tid = MakeTypeId<RlApplication, Application>("ns3::RlApplication")
                            .AddTraceSource("Move",
                                            "The application continues on another node.",
                                            MakeTraceSourceAccessor(&RlApplication::m_moveTrace),
                                            "ns3::RlApplication::MoveTracedCallback");
    return tid;
}

RlApplication::~RlApplication() = default;

void
RlApplication::DoInitialize()
{
    if (auto* recording = EpisodeRecording::Find())
    {
        recording->GetApplications().Add(m_id.ToString(),
                                         ApplicationTypeToString(m_id.applicationType),
                                         this);
    }
    Application::DoInitialize();
}

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
                interface->SetTransferCallback({});
            }
        }
        m_interfaces[type].clear();
    }
    m_deferred.clear();
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

void
RlApplication::Setup()
{
    NS_LOG_FUNCTION(this);
    m_isSetUp = true;
}

void
RlApplication::Pause()
{
    NS_LOG_FUNCTION(this);
    m_isPaused = true;
}

void
RlApplication::Resume()
{
    NS_LOG_FUNCTION(this);
    m_isPaused = false;
    while (!m_isPaused && !m_deferred.empty())
    {
        const auto todo = m_deferred.front();
        m_deferred.pop_front();
        todo();
    }
}

bool
RlApplication::Defer(std::function<void()> todo)
{
    if (m_isPaused)
    {
        m_deferred.push_back(std::move(todo));
    }
    return m_isPaused;
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

void
RlApplication::MoveTo(Ptr<Node> node, const Address& address)
{
    NS_LOG_FUNCTION(this << node << address);
    NS_ABORT_MSG_IF(!node, m_id << " cannot move: the node is null");
    NS_ABORT_MSG_IF(!m_node, m_id << " cannot move before it is installed on a node");
    const auto from = m_node;
    if (node == from)
    {
        return;
    }
    OnMoving();
    Install(node);
    m_defaultAddress = address;
    // Callbacks for lost messages may add and delete channels.
    for (const auto& interface : GetAllInterfaces())
    {
        interface->MoveTo(node, address);
    }
    m_moveTrace(from, node);
    OnMoved();
}

void
RlApplication::Install(Ptr<Node> node)
{
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (node->GetApplication(i) == this)
        {
            // The application has been on this node before.
            SetNode(node);
            return;
        }
    }
    node->AddApplication(this);
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
                             << id << ": each end of a channel is a separate object");
    }
    const auto interfaceId = interfaces.empty() ? 0 : interfaces.rbegin()->first + 1;
    interfaces.emplace(interfaceId, interface);
    interface->SetMessageKind(GetMessageKindTo(remoteId.applicationType));
    interface->AddRecvCallback(MakeReceiveCallback(remoteId));
    interface->SetTransferCallback(
        MakeCallback(&RlApplication::FinishTransfer, this).Bind(remoteId));
    if (CommunicationStatistics::IsEnabled())
    {
        CommunicationStatistics::Get()->Watch(m_id, remoteId, interface);
    }
    if (auto* recording = EpisodeRecording::Find())
    {
        recording->GetApplications().Add(m_id.ToString(),
                                         ApplicationTypeToString(m_id.applicationType),
                                         this);
        recording->GetMessages().Watch(m_id.ToString(),
                                       remoteId.ToString(),
                                       UsuallySendsTo(remoteId.applicationType),
                                       interface);
    }
    return interfaceId;
}

void
RlApplication::DeleteInterface(RlApplicationId remoteId, uint32_t interfaceId)
{
    NS_LOG_FUNCTION(this << remoteId << interfaceId);
    const auto interface = GetInterface(remoteId, interfaceId);
    interface->RemoveRecvCallback(MakeReceiveCallback(remoteId));
    interface->Disconnect();
    interface->SetTransferCallback({});
    if (CommunicationStatistics::IsEnabled())
    {
        CommunicationStatistics::Get()->Unwatch(m_id, remoteId, interface);
    }
    if (auto* recording = EpisodeRecording::Find())
    {
        recording->GetMessages().Unwatch(interface);
    }
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

std::vector<Ptr<ChannelInterface>>
RlApplication::GetAllInterfaces() const
{
    std::vector<Ptr<ChannelInterface>> all;
    for (const auto& interfacesOfType : m_interfaces)
    {
        for (const auto& [remoteAppId, interfaces] : interfacesOfType)
        {
            for (const auto& [interfaceId, interface] : interfaces)
            {
                all.push_back(interface);
            }
        }
    }
    return all;
}

void
RlApplication::SendTo(Ptr<OpenGymDictContainer> data,
                      ApplicationType type,
                      std::optional<uint32_t> remoteAppId,
                      std::optional<uint32_t> interfaceId)
{
    const auto& interfaces = GetInterfaces(type);
    const auto first = remoteAppId ? interfaces.find(*remoteAppId) : interfaces.begin();
    if (remoteAppId && first == interfaces.end())
    {
        WarnUnreachable({type, *remoteAppId});
        return;
    }
    // Receivers may add and delete channels.
    std::vector<Ptr<ChannelInterface>> channels;
    if (interfaceId)
    {
        channels.push_back(GetInterface({type, remoteAppId.value()}, *interfaceId));
    }
    else
    {
        const auto last = remoteAppId ? std::next(first) : interfaces.end();
        std::for_each(first, last, [&channels](const auto& remote) {
            for (const auto& [id, interface] : remote.second)
            {
                channels.push_back(interface);
            }
        });
    }
    for (const auto& channel : channels)
    {
        if (IsRunning())
        {
            channel->Send(data);
        }
    }
}

void
RlApplication::WarnUnreachable(RlApplicationId remoteId)
{
    if (m_warnedOf.insert(remoteId).second)
    {
        std::cerr << "Warning: " << m_id << " sends to " << remoteId
                  << ", to which it has no channel: add one with AddInterface() or "
                     "CommunicationHelper"
                  << std::endl;
    }
}

void
RlApplication::OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    NS_LOG_LOGIC(m_id << " ignores a message from " << remoteId);
}

void
RlApplication::OnReceiveTransfer(RlApplicationId remoteId, const std::string& kind, uint64_t bytes)
{
    NS_LOG_LOGIC(m_id << " has received " << bytes << " bytes of " << kind << " from " << remoteId);
}

void
RlApplication::OnLastInterfaceDeleted(RlApplicationId remoteId)
{
    NS_LOG_LOGIC(m_id << " has no more interface to " << remoteId);
}

void
RlApplication::Receive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    if (!Defer([this, remoteId, data] { Receive(remoteId, data); }) && m_running)
    {
        OnReceive(remoteId, data);
    }
}

void
RlApplication::FinishTransfer(RlApplicationId remoteId, const ChannelMessage& message)
{
    const auto service = TransferService::Get();
    if (message.reason != ChannelDropReason::NONE)
    {
        service->Fail(message.transfer, message.reason);
    }
    else if (Defer([this, remoteId, message] { FinishTransfer(remoteId, message); }))
    {
        NS_LOG_LOGIC(m_id << " takes in a transfer from " << remoteId << " when it resumes");
    }
    else if (!m_running)
    {
        service->Finish(message.transfer,
                        TransferOutcome::LOST,
                        m_id.ToString() + " did not run when it arrived");
    }
    else
    {
        service->Finish(message.transfer, TransferOutcome::DELIVERED);
        OnReceiveTransfer(remoteId, message.kind, message.payloadBytes);
    }
}

} // namespace ns3
