// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPORT_CODEC_H
#define REPORT_CODEC_H

#include "defiance/v1/environment.pb.h"

#include "ns3/communication-report.h"
#include "ns3/transfer.h"

#include <vector>

namespace ns3
{

/**
 * Write a traffic report.
 *
 * @param report The traffic.
 * @param until End of the report, in simulated time.
 * @param message Empty message to write to.
 */
void EncodeCommunication(const CommunicationReport& report,
                         Time until,
                         defiance::v1::CommunicationReport& message);

/**
 * Write reports.
 *
 * @param reports The reports of transfers.
 * @param messages Empty list to write to.
 */
void EncodeTransfers(const std::vector<TransferReport>& reports,
                     google::protobuf::RepeatedPtrField<defiance::v1::TransferReport>& messages);

/**
 * Read orders.
 *
 * @param messages The ordered transfers.
 * @return the orders
 */
std::vector<TransferOrder> DecodeTransfers(
    const google::protobuf::RepeatedPtrField<defiance::v1::TransferOrder>& messages);

} // namespace ns3

#endif /* REPORT_CODEC_H */
