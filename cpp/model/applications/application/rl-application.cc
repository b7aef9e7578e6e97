// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application.h"

#include "episode-recording.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-type.h"

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

} // namespace ns3
