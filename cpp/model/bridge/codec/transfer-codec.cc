// SPDX-License-Identifier: GPL-2.0-only

#include "private/transfer-codec.h"

namespace ns3
{

namespace wire = defiance::v1;

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
