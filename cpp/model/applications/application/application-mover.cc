// SPDX-License-Identifier: GPL-2.0-only

#include "application-mover.h"

#include "episode-recording.h"
#include "rl-application.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/communication-statistics.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"
#include "ns3/socket-channel-interface.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ApplicationMover");
NS_OBJECT_ENSURE_REGISTERED(ApplicationMover);

TypeId
ApplicationMover::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ApplicationMover, Object>("ns3::ApplicationMover")
            .AddAttribute("StateBytes",
                          "Bytes of state sent to the new node before the application moves; 0: it "
                          "moves at once.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ApplicationMover::m_stateBytes),
                          MakeUintegerChecker<uint64_t>(0, std::numeric_limits<uint32_t>::max()))
            .AddAttribute("Strategy",
                          "Behaviour of the application while its state is under way: continue at "
                          "the old node (Live), or pause (StopAndCopy).",
                          EnumValue(LIVE),
                          MakeEnumAccessor<Strategy>(&ApplicationMover::m_strategy),
                          MakeEnumChecker(LIVE, "Live", STOP_AND_COPY, "StopAndCopy"))
            .AddTraceSource("Begin",
                            "A move begins.",
                            MakeTraceSourceAccessor(&ApplicationMover::m_beginTrace),
                            "ns3::ApplicationMover::MoveTracedCallback")
            .AddTraceSource("Cancel",
                            "A move under way is cancelled: another order replaces it, or the "
                            "connection failed.",
                            MakeTraceSourceAccessor(&ApplicationMover::m_cancelTrace),
                            "ns3::ApplicationMover::MoveTracedCallback");
    return tid;
}

ApplicationMover::ApplicationMover() = default;
ApplicationMover::~ApplicationMover() = default;

void
ApplicationMover::DoDispose()
{
    for (const auto& end : {m_sender, m_receiver})
    {
        if (end)
        {
            end->SetTransferCallback({});
            end->Dispose();
        }
    }
    m_sender = m_receiver = nullptr;
    m_destination = nullptr;
    Object::DoDispose();
}

Ptr<RlApplication>
ApplicationMover::GetApplication() const
{
    const auto application = GetObject<RlApplication>();
    NS_ABORT_MSG_UNLESS(application,
                        "An ApplicationMover must be aggregated to the RlApplication that it "
                        "moves: call AggregateObject(), or MoveHelper::Install()");
    return application;
}

void
ApplicationMover::MoveTo(Ptr<Node> node, const Address& address)
{
    NS_LOG_FUNCTION(this << node << address);
    NS_ABORT_MSG_IF(!node, GetApplication()->GetId() << " cannot move: the node is null");
    if (node == GetDestination())
    {
        return;
    }
    if (IsUnderWay())
    {
        ++m_replaced;
        Cancel();
    }
    const auto application = GetApplication();
    const auto from = application->GetNode();
    if (node == from)
    {
        ResumeApplication();
        return;
    }
    m_begin = Simulator::Now();
    m_beginTrace(from, node);
    if (m_stateBytes == 0)
    {
        Complete(node, address);
        return;
    }
    m_destination = node;
    m_address = address;
    if (m_strategy == STOP_AND_COPY && !application->IsPaused())
    {
        m_hasPaused = true;
        application->Pause();
    }
    SendState();
}

void
ApplicationMover::SendState()
{
    const auto application = GetApplication();
    const auto source = application->GetNode();
    auto from = FindDefaultIpv4Address(source);
    auto to = m_address.IsInvalid() ? FindDefaultIpv4Address(m_destination) : m_address;
    if (from.IsInvalid() || to.IsInvalid() || IsIpv6Address(to))
    {
        from = FindDefaultIpv6Address(source);
        to = m_address.IsInvalid() ? FindDefaultIpv6Address(m_destination) : m_address;
    }
    NS_ABORT_MSG_IF(from.IsInvalid() || to.IsInvalid() || IsIpv6Address(from) != IsIpv6Address(to),
                    application->GetId() << " cannot send its state from node " << source->GetId()
                                         << " to node " << m_destination->GetId()
                                         << ": they have no addresses of the same IP version");
    const auto tcp = TcpSocketFactory::GetTypeId();
    m_watched = application->GetId();
    m_sender = CreateObject<SocketChannelInterface>(source, from, tcp);
    m_receiver = CreateObject<SocketChannelInterface>(m_destination, to, tcp);
    for (const auto& end : {m_sender, m_receiver})
    {
        end->SetTransferCallback(MakeCallback(&ApplicationMover::FinishTransfer, this));
        if (CommunicationStatistics::IsEnabled())
        {
            CommunicationStatistics::Get()->Watch(m_watched, m_watched, end);
        }
        if (auto* recording = EpisodeRecording::Find())
        {
            const auto name = m_watched.ToString();
            recording->GetMessages().Watch(name, name, true, end);
        }
    }
    m_sender->Connect(m_receiver);
    m_sender->SendTransfer(1, "state", m_stateBytes);
}

void
ApplicationMover::FinishTransfer(const ChannelMessage& message)
{
    NS_LOG_FUNCTION(this << message.reason);
    if (message.reason != ChannelDropReason::NONE)
    {
        ++m_failed;
        Cancel();
        ResumeApplication();
        return;
    }
    Disconnect();
    Complete(std::exchange(m_destination, nullptr), m_address);
}

void
ApplicationMover::Disconnect()
{
    for (const auto& end : {m_sender, m_receiver})
    {
        end->SetTransferCallback({});
    }
    m_sender->Disconnect(); // this reports lost messages to the watcher
    for (const auto& end : {std::exchange(m_sender, nullptr), std::exchange(m_receiver, nullptr)})
    {
        if (CommunicationStatistics::IsEnabled())
        {
            CommunicationStatistics::Get()->Unwatch(m_watched, m_watched, end);
        }
        if (auto* recording = EpisodeRecording::Find())
        {
            recording->GetMessages().Unwatch(end);
        }
    }
}

void
ApplicationMover::Complete(Ptr<Node> node, const Address& address)
{
    m_duration = Simulator::Now() - m_begin;
    ++m_completed;
    // A callback may order another move.
    GetApplication()->MoveTo(node, address);
    ResumeApplication();
}

void
ApplicationMover::ResumeApplication()
{
    if (m_hasPaused && !IsUnderWay())
    {
        m_hasPaused = false;
        GetApplication()->Resume();
    }
}

OpenGymInfo
ApplicationMover::GetInfo() const
{
    const auto node = GetApplication()->GetNode();
    OpenGymInfo info{
        {"moves/node", int64_t{node->GetId()}},
        {"moves/completed", static_cast<int64_t>(m_completed)},
        {"moves/replaced", static_cast<int64_t>(m_replaced)},
        {"moves/failed", static_cast<int64_t>(m_failed)},
        {"moves/under_way", int64_t{IsUnderWay()}},
        {"moves/duration", m_duration.GetSeconds()},
    };
    if (const auto name = Names::FindName(node); !name.empty())
    {
        info["moves/node_name"] = name;
    }
    return info;
}

Ptr<Node>
ApplicationMover::GetDestination() const
{
    return m_destination ? m_destination : GetApplication()->GetNode();
}

void
ApplicationMover::Cancel()
{
    Disconnect();
    m_cancelTrace(GetApplication()->GetNode(), std::exchange(m_destination, nullptr));
}

} // namespace ns3
