// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_CODEC_H
#define COMMUNICATION_CODEC_H

#include "defiance/v1/environment.pb.h"

#include "ns3/communication-report.h"

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

} // namespace ns3

#endif /* COMMUNICATION_CODEC_H */
