// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEVICE_RATE_H
#define DEVICE_RATE_H

#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/ptr.h"

#include <optional>

namespace ns3
{

/**
 * @param device A device.
 * @return the data rate of its frames; nothing if unknown
 */
std::optional<DataRate> FindDataRate(Ptr<NetDevice> device);

} // namespace ns3

#endif /* DEVICE_RATE_H */
