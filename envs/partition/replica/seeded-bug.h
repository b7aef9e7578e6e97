// SPDX-License-Identifier: GPL-2.0-only

#ifndef SEEDED_BUG_H
#define SEEDED_BUG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Names of a protocol's seeded bugs: a letter and a number each.
 *
 * @tparam T An enumeration with these numbers, and 0 for none.
 */
template <typename T>
struct SeededBugs
{
    char letter;    //!< Common letter of the bugs
    uint32_t count; //!< Number of bugs, numbered from 1

    /**
     * @return all names
     */
    std::vector<std::string> GetNames() const
    {
        std::vector<std::string> names;
        for (uint32_t number = 1; number <= count; number++)
        {
            names.push_back(letter + std::to_string(number));
        }
        return names;
    }

    /**
     * @param name A name, or an empty string.
     * @return the bug; none for an unknown name
     */
    T Find(const std::string& name) const
    {
        uint32_t number = 0;
        for (uint32_t each = 1; each <= count; each++)
        {
            number = letter + std::to_string(each) == name ? each : number;
        }
        return static_cast<T>(number);
    }
};

} // namespace ns3

#endif // SEEDED_BUG_H
