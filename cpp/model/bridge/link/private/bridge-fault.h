// SPDX-License-Identifier: GPL-2.0-only

#ifndef BRIDGE_FAULT_H
#define BRIDGE_FAULT_H

#include "defiance/v1/environment.pb.h"

#include <stdexcept>
#include <string>

namespace ns3
{

/** The error when Python does not listen. */
inline constexpr const char* PYTHON_LEFT = "the Python process has closed the connection";

/**
 * @brief A fault that ends the conversation with Python early.
 */
class BridgeFault : public std::runtime_error
{
  public:
    /**
     * @param message The description of the fault.
     * @param code The report to Python; none: impossible or unnecessary.
     */
    explicit BridgeFault(const std::string& message,
                         defiance::v1::Failure::Code code = defiance::v1::Failure::CODE_UNSPECIFIED)
        : std::runtime_error(message),
          code(code)
    {
    }

    const defiance::v1::Failure::Code code; //!< The report to Python
};

} // namespace ns3

#endif /* BRIDGE_FAULT_H */
