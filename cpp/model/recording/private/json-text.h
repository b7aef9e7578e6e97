// SPDX-License-Identifier: GPL-2.0-only

#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "ns3/opengym-utf8.h"
#include "ns3/rl-parameter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
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
/// A string; U+FFFD for each invalid byte
inline std::string
ToJson(std::string_view text)
{
    std::string json = "\"";
    for (std::size_t i = 0; i < text.size();)
    {
        const auto length = GetCharacterLength(text, i);
        const auto character = text[i];
        const auto bytes = text.substr(i, std::max<std::size_t>(length, 1));
        i += bytes.size();
        if (length == 0)
        {
            json += "\\ufffd"; // as decoders do
            continue;
        }
        if (static_cast<unsigned char>(character) < 0x20)
        {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", character);
            json += escaped;
            continue;
        }
        json += character == '"' || character == '\\' ? "\\" : "";
        json += bytes;
    }
    return json + "\"";
}

/// A number
inline std::string
ToJson(int64_t number)
{
    return std::to_string(number);
}

/// A number; null if it is not finite
inline std::string
ToJson(double number)
{
    return std::isfinite(number) ? FormatText(number) : "null";
}

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
inline std::string
ToJsonArray(const std::vector<std::string>& items, std::string_view separator = "")
{
    std::string json = "[";
    for (const auto& item : items)
    {
        json += json.size() > 1 ? "," : "";
        json += separator;
        json += item;
    }
    return json + "]";
}

/** @} */

} // namespace ns3

#endif // JSON_TEXT_H
