// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_PORT_H
#define REPLICA_PORT_H

namespace ns3
{

class ScriptReplica;

/**
 * @brief The replica of a process in Python; the port outlives the process.
 */
struct ReplicaPort
{
    ScriptReplica* replica; //!< The replica
};

} // namespace ns3

#endif // REPLICA_PORT_H
