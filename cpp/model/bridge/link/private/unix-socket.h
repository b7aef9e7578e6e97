// SPDX-License-Identifier: GPL-2.0-only

#ifndef UNIX_SOCKET_H
#define UNIX_SOCKET_H

#include <string>

namespace ns3
{

/**
 * Connect to a Unix socket of this machine.
 *
 * @param name Path of the socket; or, with an @ in front, its name in the abstract namespace.
 * @param type SOCK_STREAM or SOCK_SEQPACKET.
 * @return a descriptor that other programs do not inherit; -1 on an error, with errno
 */
int ConnectToUnixSocket(const std::string& name, int type);

} // namespace ns3

#endif /* UNIX_SOCKET_H */
