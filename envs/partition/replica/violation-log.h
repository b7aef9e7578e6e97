// SPDX-License-Identifier: GPL-2.0-only

#ifndef VIOLATION_LOG_H
#define VIOLATION_LOG_H

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Violations of a protocol's guarantees, each of which is told once: what is wrong and stays
 * so is not told again.
 */
class ViolationLog
{
  public:
    /**
     * Note a violation, unless it was noted before.
     *
     * @tparam T Types of the facts.
     * @param property Which property is violated.
     * @param facts Which replicas and entries do it: parts of a text.
     */
    template <typename... T>
    void Note(const std::string& property, const T&... facts)
    {
        std::ostringstream text;
        text << property << ": ";
        (text << ... << facts);
        if (m_told.insert(text.str()).second)
        {
            m_new.push_back(text.str());
        }
    }

    /**
     * @return violations that were noted since this was called last
     */
    std::vector<std::string> Take()
    {
        return std::exchange(m_new, {});
    }

  private:
    std::set<std::string> m_told;   //!< Violations that were noted
    std::vector<std::string> m_new; //!< Of these, the new ones
};

} // namespace ns3

#endif // VIOLATION_LOG_H
