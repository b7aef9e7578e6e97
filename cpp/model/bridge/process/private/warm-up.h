// SPDX-License-Identifier: GPL-2.0-only

#ifndef WARM_UP_H
#define WARM_UP_H

#include <functional>
#include <vector>

namespace ns3
{

/**
 * Build and destroy temporary networks, so that ns-3's one-time work in a process is done, and
 * restore every counter of ns-3: the next network is the same as in a fresh process.
 *
 * Does nothing if the program has built anything already.
 *
 * @param builds Functions that build networks in addition to the default network.
 */
void WarmUp(const std::vector<std::function<void()>>& builds = {});

} // namespace ns3

#endif /* WARM_UP_H */
