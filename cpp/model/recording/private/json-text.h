// SPDX-License-Identifier: GPL-2.0-only

#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @name Values as JSON
 *
 * Each returns the text of a value.
 * @{
 */
std::string ToJson(std::string_view text); //!< A string; U+FFFD for each invalid byte
std::string ToJson(int64_t number);        //!< A number
std::string ToJson(double number);         //!< A number; null if it is not finite

/** @return a value, or null */
template <typename T>
std::string
ToJson(const std::optional<T>& value)
{
    return value ? ToJson(*value) : "null";
}

/**
 * @param items Texts of values.
 * @param separator Separator after a comma.
 * @return an array
 */
std::string ToJsonArray(const std::vector<std::string>& items, std::string_view separator = "");

/** @} */

} // namespace ns3

#endif /* JSON_TEXT_H */
