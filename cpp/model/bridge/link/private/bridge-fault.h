// SPDX-License-Identifier: GPL-2.0-only

#ifndef BRIDGE_FAULT_H
#define BRIDGE_FAULT_H

#include "defiance/v1/environment.pb.h"

#include <stdexcept>
#include <string>

namespace ns3
{

/** What is wrong if there is nobody to talk to. */
inline constexpr const char* PYTHON_LEFT = "the Python process has closed the connection";

/**
 * @brief What ends the conversation with Python before its time.
 */
class BridgeFault : public std::runtime_error
{
  public:
    /**
     * @param message What happened.
     * @param code What is reported to Python; none: nothing can or need be.
     */
    explicit BridgeFault(const std::string& message,
                         defiance::v1::Failure::Code code = defiance::v1::Failure::CODE_UNSPECIFIED)
        : std::runtime_error(message),
          code(code)
    {
    }

    const defiance::v1::Failure::Code code; //!< What is reported to Python
};

} // namespace ns3

#endif /* BRIDGE_FAULT_H */
