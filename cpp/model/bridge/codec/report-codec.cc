// SPDX-License-Identifier: GPL-2.0-only

#include "private/report-codec.h"

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/**
 * @param flow A flow.
 * @param message Empty message to write to.
 */
void
EncodeFlow(const CommunicationFlowReport& flow, wire::CommunicationFlow& message)
{
    message.set_sender(flow.sender);
    message.set_receiver(flow.receiver);
    message.set_kind(flow.kind);
    message.set_tx_messages(flow.txMessages);
    message.set_tx_payload_bytes(flow.txPayloadBytes);
    message.set_tx_bytes(flow.txBytes);
    message.set_rx_messages(flow.rxMessages);
    message.set_rx_payload_bytes(flow.rxPayloadBytes);
    message.set_rx_bytes(flow.rxBytes);
    message.set_dropped_messages(flow.droppedMessages);
    message.set_dropped_bytes(flow.droppedBytes);
    message.set_mean_latency_s(flow.meanLatency);
    message.set_min_latency_ns(flow.minLatency.GetNanoSeconds());
    message.set_max_latency_ns(flow.maxLatency.GetNanoSeconds());
    message.set_p50_latency_ns(flow.p50Latency.GetNanoSeconds());
    message.set_p95_latency_ns(flow.p95Latency.GetNanoSeconds());
    message.set_p99_latency_ns(flow.p99Latency.GetNanoSeconds());
}

/**
 * @param path A path.
 * @param message Empty message to write to.
 */
void
EncodePath(const CommunicationPathReport& path, wire::CommunicationPath& message)
{
    message.set_sender(path.sender);
    message.set_receiver(path.receiver);
    message.set_packets(path.packets);
    message.set_ip_bytes(path.ipBytes);
    message.set_wire_bytes(path.wireBytes);
}

/**
 * @param link A link.
 * @param message Empty message to write to.
 */
void
EncodeLink(const CommunicationLinkReport& link, wire::CommunicationLink& message)
{
    message.set_name(link.name);
    message.mutable_applications()->Assign(link.applications.begin(), link.applications.end());
    message.set_data_rate_bps(link.dataRate);
    message.set_frames(link.frames);
    message.set_bytes(link.bytes);
    message.set_rl_frames(link.rlFrames);
    message.set_rl_bytes(link.rlBytes);
    message.set_busy_ns(link.busy.GetNanoSeconds());
    message.set_counted_ns(link.counted.GetNanoSeconds());
}

} // namespace

void
EncodeCommunication(const CommunicationReport& report,
                    Time until,
                    wire::CommunicationReport& message)
{
    message.set_sim_time_ns(until.GetNanoSeconds());
    for (const auto& flow : report.flows)
    {
        EncodeFlow(flow, *message.add_flows());
    }
    for (const auto& path : report.paths)
    {
        EncodePath(path, *message.add_paths());
    }
    for (const auto& link : report.links)
    {
        EncodeLink(link, *message.add_links());
    }
}

void
EncodeTransfers(const std::vector<TransferReport>& reports,
                google::protobuf::RepeatedPtrField<wire::TransferReport>& messages)
{
    for (const auto& report : reports)
    {
        auto& message = *messages.Add();
        message.set_number(report.number);
        message.set_outcome(static_cast<wire::TransferOutcome>(report.outcome));
        message.set_time_ns(report.time.GetNanoSeconds());
        message.set_reason(report.reason);
    }
}

std::vector<TransferOrder>
DecodeTransfers(const google::protobuf::RepeatedPtrField<wire::TransferOrder>& messages)
{
    std::vector<TransferOrder> orders;
    for (const auto& message : messages)
    {
        orders.push_back({message.number(),
                          message.sender(),
                          message.receiver(),
                          message.kind(),
                          message.bytes()});
    }
    return orders;
}

} // namespace ns3
