// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENVIRONMENT_VARIABLES_H
#define ENVIRONMENT_VARIABLES_H

#include "bridge-options.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * @param name Name of an environment variable.
 * @return the value; empty when the variable is not set
 */
std::string GetVariable(const char* name);

/**
 * Report an invalid environment variable, and end the process.
 *
 * @param name Name of the variable.
 * @param expected The expected value.
 */
[[noreturn]] void RefuseVariable(const char* name, const std::string& expected);

/**
 * Read a value; end the process when the variable is invalid.
 *
 * @tparam T bool, a number, or Time.
 * @param name Name of an environment variable.
 * @param expected The expected value.
 * @return the value, or nothing when the variable is not set
 */
template <typename T>
std::optional<T>
ReadVariable(const char* name, const std::string& expected)
{
    const auto text = GetVariable(name);
    T value{};
    if (text.empty())
    {
        return std::nullopt;
    }
    if (!ParseText(text, value))
    {
        RefuseVariable(name, expected);
    }
    return value;
}

} // namespace ns3

#endif /* ENVIRONMENT_VARIABLES_H */
