// SPDX-License-Identifier: GPL-2.0-only

#include "channel-message.h"

#include <array>

namespace ns3
{

std::ostream&
operator<<(std::ostream& os, ChannelDropReason reason)
{
    static constexpr std::array names{"NONE",
                                      "NOT_CONNECTED",
                                      "TOO_LARGE",
                                      "QUEUE_FULL",
                                      "SEND_FAILED",
                                      "LOSS",
                                      "CONNECTION_CLOSED",
                                      "CONNECTION_FAILED",
                                      "FOREIGN",
                                      "NOT_SUPPORTED"};
    return os << names.at(static_cast<std::size_t>(reason));
}

bool
IsRefusal(ChannelDropReason reason)
{
    switch (reason)
    {
    case ChannelDropReason::NOT_CONNECTED:
    case ChannelDropReason::TOO_LARGE:
    case ChannelDropReason::QUEUE_FULL:
    case ChannelDropReason::SEND_FAILED:
    case ChannelDropReason::NOT_SUPPORTED:
        return true;
    default:
        return false;
    }
}

} // namespace ns3
