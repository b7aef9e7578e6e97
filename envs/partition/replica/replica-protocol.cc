// SPDX-License-Identifier: GPL-2.0-only

#include "replica-protocol.h"

namespace ns3
{

void
ReplicaProtocol::Declare(RlSimulation& /* simulation */)
{
}

std::string
ReplicaProtocol::FindContradiction(bool /* chosen */, Time /* tick */) const
{
    return "";
}

bool
ReplicaProtocol::ToleratesByzantine() const
{
    return false;
}

} // namespace ns3
