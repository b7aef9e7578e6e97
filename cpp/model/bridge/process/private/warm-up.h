// SPDX-License-Identifier: GPL-2.0-only

#ifndef WARM_UP_H
#define WARM_UP_H

#include <functional>
#include <vector>

namespace ns3
{

/**
 * Build and destroy throw-away networks, so that what ns-3 does once in a process is done, and
 * leave every counter of ns-3 as it was: what is built next is the same as in a fresh process.
 *
 * Nothing is done when the program has built something already.
 *
 * @param builds Each builds a network beside the one that is always built.
 */
void WarmUp(const std::vector<std::function<void()>>& builds = {});

} // namespace ns3

#endif /* WARM_UP_H */
