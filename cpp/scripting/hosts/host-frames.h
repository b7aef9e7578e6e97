// SPDX-License-Identifier: GPL-2.0-only

#ifndef HOST_FRAMES_H
#define HOST_FRAMES_H

#include <cstdint>
#include <functional>
#include <span>

namespace ns3
{

/**
 * Find out whether ns-3 can process an Ethernet frame of a real program. ns-3 ends the simulation
 * at short headers, at unknown lengths in headers, and at overlapping fragments.
 *
 * @param frame The frame.
 * @param isHost Returns whether an IPv4 address is a host's: Linux, not ns-3, joins its fragments.
 * @return whether it is a sound frame of ARP, or of IPv4 without options
 */
bool IsSoundFrame(std::span<const uint8_t> frame, const std::function<bool(uint32_t)>& isHost);

} // namespace ns3

#endif /* HOST_FRAMES_H */
