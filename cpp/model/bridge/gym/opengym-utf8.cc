// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-utf8.h"

#include <cstdint>
#include <utility>

namespace ns3
{

std::size_t
GetCharacterLength(std::string_view text, std::size_t position)
{
    const auto first = static_cast<uint8_t>(text[position]);
    const std::size_t length = first < 0x80             ? 1
                               : (first & 0xE0) == 0xC0 ? 2
                               : (first & 0xF0) == 0xE0 ? 3
                               : (first & 0xF8) == 0xF0 ? 4
                                                        : 0;
    if (length < 2)
    {
        return length;
    }
    if (length > text.size() - position)
    {
        return 0;
    }
    uint32_t code = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i)
    {
        const auto next = static_cast<uint8_t>(text[position + i]);
        if ((next & 0xC0) != 0x80)
        {
            return 0;
        }
        code = (code << 6) | (next & 0x3FU);
    }
    // A character has only its shortest form; surrogates are not characters.
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

namespace
{

/**
 * @param text Any bytes.
 * @param function Called with the position and the length of each character.
 * @return whether the bytes are text in UTF-8
 */
template <typename Function>
bool
VisitCharacters(const std::string& text, Function function)
{
    for (std::size_t position = 0; position < text.size();)
    {
        const auto length = GetCharacterLength(text, position);
        if (length == 0)
        {
            return false;
        }
        function(position, length);
        position += length;
    }
    return true;
}

} // namespace

std::optional<std::vector<std::string>>
SplitUtf8(const std::string& text)
{
    std::vector<std::string> characters;
    const bool isUtf8 = VisitCharacters(text, [&](std::size_t position, std::size_t length) {
        characters.push_back(text.substr(position, length));
    });
    return isUtf8 ? std::optional(std::move(characters)) : std::nullopt;
}

bool
IsUtf8(const std::string& text)
{
    return VisitCharacters(text, [](std::size_t, std::size_t) {});
}

} // namespace ns3
