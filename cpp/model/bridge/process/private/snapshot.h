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
 * @param address Where Python waits for the copy.
 * @param [in,out] options Where Python listens. In a simulation that was restored: where it listens
 *        now.
 * @param [in,out] link The connection to Python. In a simulation that was restored: another one.
 * @return what is to be reported to Python. When no copy can be made, it reports the reason, and
 * the simulation continues unharmed.
 */
defiance::v1::Resumed TakeSnapshot(const std::string& address,
                                   BridgeOptions& options,
                                   std::unique_ptr<StepLink>& link);

} // namespace ns3

#endif /* SNAPSHOT_H */
