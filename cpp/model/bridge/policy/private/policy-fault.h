// SPDX-License-Identifier: GPL-2.0-only

#ifndef POLICY_FAULT_H
#define POLICY_FAULT_H

#include <stdexcept>

namespace ns3
{

/**
 * @brief An unusable policy file; the message has the reason and the remedy.
 */
class PolicyFault : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace ns3

#endif /* POLICY_FAULT_H */
