// SPDX-License-Identifier: GPL-2.0-only

#include "transfer-service.h"

#include "rl-application.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TransferService");
DEFIANCE_OBJECT(TransferService, Object);

namespace
{

Ptr<TransferService> g_service; //!< Service of the present simulation

} // namespace

Ptr<TransferService>
TransferService::Get()
{
    if (!g_service)
    {
        g_service = CreateObject<TransferService>();
        OpenGymMultiAgentInterface::Get()->SetTransferHandler(
            MakeCallback(&TransferService::Start, g_service));
        Simulator::ScheduleDestroy([] {
            g_service->Dispose();
            g_service = nullptr;
        });
    }
    return g_service;
}

void
TransferService::Start(const TransferOrder& order)
{
    NS_LOG_FUNCTION(this << order.number << order.sender << order.receiver << order.bytes);
    m_underWay.insert(order.number);
    const auto sender = m_applications.find(order.sender);
    if (sender == m_applications.end())
    {
        Finish(order.number, TransferOutcome::REFUSED, FindObstacle(order));
        return;
    }
    // Run in the context of the sender's node, not of the agent that has just decided.
    Simulator::ScheduleWithContext(sender->second->GetNode()->GetId(),
                                   Time{},
                                   &TransferService::Send,
                                   Ptr<TransferService>(this),
                                   order);
}

void
TransferService::Send(const TransferOrder& order)
{
    if (const auto obstacle = FindObstacle(order); !obstacle.empty())
    {
        Finish(order.number, TransferOutcome::REFUSED, obstacle);
        return;
    }
    const auto sender = m_applications.at(order.sender);
    const auto receiverId = m_applications.at(order.receiver)->GetId();
    sender->GetInterface(receiverId, sender->GetInterfaceIds(receiverId).front())
        ->SendTransfer(order.number, order.kind, order.bytes);
}

std::string
TransferService::FindObstacle(const TransferOrder& order) const
{
    for (const auto& name : {order.sender, order.receiver})
    {
        if (!m_applications.contains(name))
        {
            std::string known;
            for (const auto& [other, application] : m_applications)
            {
                known += (known.empty() ? "" : ", ") + other;
            }
            return "there is no agent or training server '" + name + "', only " + known;
        }
    }
    const auto sender = m_applications.at(order.sender);
    const auto receiverId = m_applications.at(order.receiver)->GetId();
    if (sender->GetInterfaceIds(receiverId).empty())
    {
        return order.sender + " has no channel to " + order.receiver;
    }
    if (!sender->IsRunning())
    {
        return order.sender + " does not run at this time";
    }
    return order.bytes > 0 ? "" : "it has no bytes";
}

void
TransferService::Finish(uint64_t number, TransferOutcome outcome, const std::string& reason)
{
    if (m_underWay.erase(number) > 0)
    {
        OpenGymMultiAgentInterface::Get()->NotifyTransfer(number, outcome, reason);
    }
}

void
TransferService::Fail(uint64_t number, ChannelDropReason reason)
{
    std::ostringstream text;
    text << "the channel dropped it: " << reason;
    Finish(number,
           IsRefusal(reason) ? TransferOutcome::REFUSED : TransferOutcome::LOST,
           text.str());
}

void
TransferService::Add(Ptr<RlApplication> application)
{
    m_applications.emplace(application->GetId().ToString(), application);
}

} // namespace ns3
