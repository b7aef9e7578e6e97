// SPDX-License-Identifier: GPL-2.0-only

#include "private/device-rate.h"

#include "ns3/channel.h"

namespace ns3
{

std::optional<DataRate>
FindDataRate(Ptr<NetDevice> device)
{
    DataRateValue rate;
    const Ptr<Channel> channel = device->GetChannel();
    if (device->GetAttributeFailSafe("DataRate", rate) ||
        (channel && channel->GetAttributeFailSafe("DataRate", rate)))
    {
        return rate.Get();
    }
    return std::nullopt;
}

} // namespace ns3
