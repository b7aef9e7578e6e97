// SPDX-License-Identifier: GPL-2.0-only

#ifndef MISSING_CANONICAL_PROTOCOL_H
#define MISSING_CANONICAL_PROTOCOL_H

#include "raft-protocol.h"

namespace ns3
{

/**
 * @brief Takes the place of CanonicalProtocol in a program that was built without canonical/raft,
 * and refuses to be chosen.
 */
class MissingCanonicalProtocol : public RaftProtocol
{
  public:
    std::string GetName() const override
    {
        return "canonical_raft";
    }

    void Declare(RlSimulation& /* simulation */) override
    {
    }

    std::vector<std::string> GetBugs() const override
    {
        return {};
    }

    std::string FindContradiction(bool chosen, Time /* tick */) const override
    {
        return chosen
                   ? "protocol=canonical_raft needs canonical/raft, which this program was built "
                     "without: in a checkout of defiance-zoo, install Debian's libraft-dev, and "
                     "run 'make build'"
                   : "";
    }
};

} // namespace ns3

#endif // MISSING_CANONICAL_PROTOCOL_H
