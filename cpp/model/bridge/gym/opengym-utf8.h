// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_UTF8_H
#define OPENGYM_UTF8_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @param text Any bytes.
 * @param position Begin of a character.
 * @return the number of bytes of the character, or 0 when it is not UTF-8
 */
std::size_t GetCharacterLength(std::string_view text, std::size_t position);

/**
 * Split a text into its characters.
 *
 * @param text Text in UTF-8.
 * @return the characters, each in UTF-8, or nothing when the text is not UTF-8
 */
std::optional<std::vector<std::string>> SplitUtf8(const std::string& text);

/**
 * @param text Any bytes.
 * @return whether they are text in UTF-8; faster than SplitUtf8()
 */
bool IsUtf8(const std::string& text);

} // namespace ns3

#endif /* OPENGYM_UTF8_H */
