// SPDX-License-Identifier: GPL-2.0-only

#include "private/unix-socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ns3
{

int
ConnectToUnixSocket(const std::string& name, int type)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name.size() >= sizeof(address.sun_path))
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    name.copy(address.sun_path, name.size());
    const bool abstract = name.starts_with('@');
    if (abstract)
    {
        address.sun_path[0] = '\0';
    }
    // The terminating zero belongs to a path, but not to an abstract name.
    const auto length = offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1);
    const int descriptor = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (descriptor != -1 && connect(descriptor,
                                    reinterpret_cast<const sockaddr*>(&address),
                                    static_cast<socklen_t>(length)) != 0)
    {
        const int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

} // namespace ns3
