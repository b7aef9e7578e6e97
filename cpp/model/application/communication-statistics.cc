// SPDX-License-Identifier: GPL-2.0-only

#include "communication-statistics.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CommunicationStatistics);

namespace
{

/// Whether channels of applications are counted.
GlobalValue g_communicationInfos(
    "CommunicationInfos",
    "Whether the infos of agents tell what RL applications have sent to each other.",
    BooleanValue(false),
    MakeBooleanChecker());

Ptr<CommunicationStatistics> g_statistics; //!< Those of the present simulation

} // namespace

void
CommunicationTotals::Add(const CommunicationTotals& other)
{
    if (other.rxMessages > 0)
    {
        minLatency = rxMessages > 0 ? std::min(minLatency, other.minLatency) : other.minLatency;
        maxLatency = std::max(maxLatency, other.maxLatency);
    }
    txMessages += other.txMessages;
    txBytes += other.txBytes;
    rxMessages += other.rxMessages;
    rxBytes += other.rxBytes;
    droppedMessages += other.droppedMessages;
    droppedBytes += other.droppedBytes;
    totalLatency += other.totalLatency;
}

Time
CommunicationTotals::GetMeanLatency() const
{
    return rxMessages > 0 ? totalLatency / static_cast<int64_t>(rxMessages) : Time{};
}

TypeId
CommunicationStatistics::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CommunicationStatistics")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<CommunicationStatistics>();
    return tid;
}

Ptr<CommunicationStatistics>
CommunicationStatistics::Get()
{
    if (!g_statistics)
    {
        g_statistics = CreateObject<CommunicationStatistics>();
        Simulator::ScheduleDestroy([] { g_statistics = nullptr; });
    }
    return g_statistics;
}

bool
CommunicationStatistics::IsEnabled()
{
    BooleanValue enabled;
    g_communicationInfos.GetValue(enabled);
    return enabled.Get();
}

void
CommunicationStatistics::Watch(RlApplicationId local,
                               RlApplicationId remote,
                               Ptr<ChannelInterface> interface)
{
    const Ptr<CommunicationStatistics> self(this);
    interface->TraceConnectWithoutContext(
        "Tx",
        MakeCallback(&CommunicationStatistics::CountTx, self).Bind(local, remote));
    interface->TraceConnectWithoutContext(
        "Rx",
        MakeCallback(&CommunicationStatistics::CountRx, self).Bind(local, remote));
    interface->TraceConnectWithoutContext(
        "Drop",
        MakeCallback(&CommunicationStatistics::CountDrop, self).Bind(local, remote));
}

void
CommunicationStatistics::Unwatch(RlApplicationId local,
                                 RlApplicationId remote,
                                 Ptr<ChannelInterface> interface)
{
    const Ptr<CommunicationStatistics> self(this);
    interface->TraceDisconnectWithoutContext(
        "Tx",
        MakeCallback(&CommunicationStatistics::CountTx, self).Bind(local, remote));
    interface->TraceDisconnectWithoutContext(
        "Rx",
        MakeCallback(&CommunicationStatistics::CountRx, self).Bind(local, remote));
    interface->TraceDisconnectWithoutContext(
        "Drop",
        MakeCallback(&CommunicationStatistics::CountDrop, self).Bind(local, remote));
}

void
CommunicationStatistics::CountTx(RlApplicationId local,
                                 RlApplicationId remote,
                                 const ChannelMessage& message)
{
    auto& totals = m_flows[{local, remote, message.kind}];
    ++totals.txMessages;
    totals.txBytes += message.wireBytes;
}

void
CommunicationStatistics::CountRx(RlApplicationId local,
                                 RlApplicationId remote,
                                 const ChannelMessage& message)
{
    CommunicationTotals one;
    one.rxMessages = 1;
    one.rxBytes = message.wireBytes;
    one.totalLatency = one.minLatency = one.maxLatency = message.latency;
    m_flows[{remote, local, message.kind}].Add(one);
}

void
CommunicationStatistics::CountDrop(RlApplicationId local,
                                   RlApplicationId remote,
                                   const ChannelMessage& message)
{
    if (message.reason != ChannelDropReason::FOREIGN)
    {
        auto& totals = m_flows[{local, remote, message.kind}];
        ++totals.droppedMessages;
        totals.droppedBytes += message.wireBytes;
    }
}

const CommunicationStatistics::Flows&
CommunicationStatistics::GetFlows() const
{
    return m_flows;
}

CommunicationTotals
CommunicationStatistics::GetTotals(RlApplicationId sender, RlApplicationId receiver) const
{
    CommunicationTotals sum;
    for (const auto& [flow, totals] : m_flows)
    {
        if (flow.sender == sender && flow.receiver == receiver)
        {
            sum.Add(totals);
        }
    }
    return sum;
}

OpenGymInfo
CommunicationStatistics::GetInfo(RlApplicationId application) const
{
    OpenGymInfo info;
    for (const auto& [flow, totals] : m_flows)
    {
        if (flow.sender != application && flow.receiver != application)
        {
            continue;
        }
        const auto prefix = "communication/" + flow.sender.ToString() + "/" +
                            flow.receiver.ToString() + "/" + flow.kind + "/";
        info[prefix + "tx_messages"] = static_cast<int64_t>(totals.txMessages);
        info[prefix + "tx_bytes"] = static_cast<int64_t>(totals.txBytes);
        info[prefix + "rx_messages"] = static_cast<int64_t>(totals.rxMessages);
        info[prefix + "rx_bytes"] = static_cast<int64_t>(totals.rxBytes);
        info[prefix + "dropped_messages"] = static_cast<int64_t>(totals.droppedMessages);
        info[prefix + "dropped_bytes"] = static_cast<int64_t>(totals.droppedBytes);
        info[prefix + "mean_latency"] = totals.GetMeanLatency().GetSeconds();
        info[prefix + "max_latency"] = totals.maxLatency.GetSeconds();
    }
    return info;
}

} // namespace ns3
