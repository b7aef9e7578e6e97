// SPDX-License-Identifier: GPL-2.0-only

#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "step-link.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * Copy this process. The copy waits, as a fork server, for Python to turn it into simulations that
 * continue from here; this function returns in each of them, too.
 *
 * @param address Endpoint at which Python waits for the copy.
 * @param [in,out] options Python's endpoint. In a restored simulation: the new endpoint.
 * @param [in,out] link Connection to Python. In a restored simulation: a new one.
 * @return the report to Python. When no copy can be made, it has the reason, and the simulation
 * continues.
 */
defiance::v1::Resumed TakeSnapshot(const std::string& address,
                                   BridgeOptions& options,
                                   std::unique_ptr<StepLink>& link);

} // namespace ns3

#endif /* SNAPSHOT_H */
