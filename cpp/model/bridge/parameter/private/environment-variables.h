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
 * @return its value; empty when it is not set
 */
std::string GetVariable(const char* name);

/**
 * Say that an environment variable makes no sense, and end the process.
 *
 * @param name Its name.
 * @param expected The expected value.
 */
[[noreturn]] void RefuseVariable(const char* name, const std::string& expected);

/**
 * Read a value; end the process when the variable holds something else.
 *
 * @tparam T bool, a number, or Time.
 * @param name Name of an environment variable.
 * @param expected The expected value.
 * @return its value, or nothing when it is not set
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
