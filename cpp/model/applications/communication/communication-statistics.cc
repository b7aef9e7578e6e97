// SPDX-License-Identifier: GPL-2.0-only

#include "communication-statistics.h"

#include "private/traffic-statistics.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/object-type.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

DEFIANCE_OBJECT(CommunicationStatistics, Object);

namespace
{

/// Whether channels of applications are counted.
GlobalValue g_communicationInfos(
    "CommunicationInfos",
    "Whether the infos of agents contain the traffic between RL applications.",
    BooleanValue(false),
    MakeBooleanChecker());

/// Whether channels are counted, with or without infos.
GlobalValue g_communicationReport("CommunicationReport",
                                  "Whether Python may request the traffic between RL applications.",
                                  BooleanValue(false),
                                  MakeBooleanChecker());

Ptr<CommunicationStatistics> g_statistics; //!< The statistics of the present simulation

} // namespace

CommunicationStatistics::CommunicationStatistics() = default;
CommunicationStatistics::~CommunicationStatistics() = default;

void
CommunicationStatistics::DoDispose()
{
    m_traffic.reset();
    Object::DoDispose();
}

Ptr<CommunicationStatistics>
CommunicationStatistics::Get()
{
    if (!g_statistics)
    {
        g_statistics = CreateObject<CommunicationStatistics>();
        Simulator::ScheduleDestroy([] {
            g_statistics->Dispose();
            g_statistics = nullptr;
        });
    }
    return g_statistics;
}

bool
CommunicationStatistics::IsEnabled()
{
    BooleanValue reports;
    g_communicationReport.GetValue(reports);
    return reports.Get() || IsInInfos();
}

bool
CommunicationStatistics::IsInInfos()
{
    BooleanValue informs;
    g_communicationInfos.GetValue(informs);
    return informs.Get();
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
    OpenGymMultiAgentInterface::Get()->SetCommunicationReporter(
        MakeCallback(&CommunicationStatistics::GetReport, this));
    if (const auto end = DynamicCast<SocketChannelInterface>(interface))
    {
        if (!m_traffic)
        {
            m_traffic = std::make_unique<TrafficStatistics>();
        }
        m_traffic->Watch(local, remote, end);
    }
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
    if (const auto end = DynamicCast<SocketChannelInterface>(interface); end && m_traffic)
    {
        m_traffic->Unwatch(end);
    }
}

void
CommunicationStatistics::CountTx(RlApplicationId local,
                                 RlApplicationId remote,
                                 const ChannelMessage& message)
{
    auto& totals = m_flows[{local, remote, message.kind}];
    ++totals.txMessages;
    totals.txPayloadBytes += message.payloadBytes;
    totals.txBytes += message.wireBytes;
}

void
CommunicationStatistics::CountRx(RlApplicationId local,
                                 RlApplicationId remote,
                                 const ChannelMessage& message)
{
    auto& totals = m_flows[{remote, local, message.kind}];
    const auto isFirst = totals.rxMessages == 0;
    totals.minLatency = isFirst ? message.latency : std::min(totals.minLatency, message.latency);
    totals.maxLatency = std::max(totals.maxLatency, message.latency);
    totals.totalLatency += message.latency;
    totals.latencies.Add(message.latency);
    ++totals.rxMessages;
    totals.rxPayloadBytes += message.payloadBytes;
    totals.rxBytes += message.wireBytes;
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
        info[prefix + "p95_latency"] = totals.latencies.GetQuantile(0.95).GetSeconds();
        info[prefix + "max_latency"] = totals.maxLatency.GetSeconds();
    }
    return info;
}

CommunicationReport
CommunicationStatistics::GetReport(Time until) const
{
    CommunicationReport report;
    for (const auto& [flow, totals] : m_flows)
    {
        const auto& latencies = totals.latencies;
        report.flows.push_back({totals,
                                flow.sender.ToString(),
                                flow.receiver.ToString(),
                                flow.kind,
                                totals.GetMeanLatency().GetSeconds(),
                                latencies.GetQuantile(0.5),
                                latencies.GetQuantile(0.95),
                                latencies.GetQuantile(0.99)});
    }
    if (m_traffic)
    {
        m_traffic->Report(until, report);
    }
    return report;
}

} // namespace ns3
