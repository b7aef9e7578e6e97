// SPDX-License-Identifier: GPL-2.0-only

#ifndef SEEDED_BUG_H
#define SEEDED_BUG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Names of the mistakes that a protocol can make on purpose: a letter and a number each.
 *
 * @tparam T An enumeration with these numbers, and 0 for none.
 */
template <typename T>
struct SeededBugs
{
    char letter;    //!< Of all of them
    uint32_t count; //!< They are numbered from 1 to this

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
     * @return the mistake; none, if there is none of this name
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
