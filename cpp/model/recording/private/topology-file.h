// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOPOLOGY_FILE_H
#define TOPOLOGY_FILE_H

#include "application-recorder.h"
#include "message-recorder.h"
#include "recorded-network.h"

#include <string>

namespace ns3
{

/**
 * Write what a simulation consists of, whole: whoever reads finds the file as it was, or as it is;
 * end the process if that is not possible.
 *
 * @param folder Where topology.json is written.
 * @param network The nodes and links.
 * @param applications The applications.
 * @param messages The channels between them.
 */
void WriteTopology(const std::string& folder,
                   const RecordedNetwork& network,
                   const ApplicationRecorder& applications,
                   const MessageRecorder& messages);

} // namespace ns3

#endif /* TOPOLOGY_FILE_H */
