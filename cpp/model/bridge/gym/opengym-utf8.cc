// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-utf8.h"

#include <cstdint>

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

std::optional<std::vector<std::string>>
SplitUtf8(const std::string& text)
{
    std::vector<std::string> characters;
    for (std::size_t position = 0; position < text.size(); position += characters.back().size())
    {
        const auto length = GetCharacterLength(text, position);
        if (length == 0)
        {
            return std::nullopt;
        }
        characters.push_back(text.substr(position, length));
    }
    return characters;
}

bool
IsUtf8(const std::string& text)
{
    for (std::size_t position = 0; position < text.size();)
    {
        const bool isAscii = static_cast<uint8_t>(text[position]) < 0x80; // most characters
        const auto length = isAscii ? 1 : GetCharacterLength(text, position);
        if (length == 0)
        {
            return false;
        }
        position += length;
    }
    return true;
}

} // namespace ns3
