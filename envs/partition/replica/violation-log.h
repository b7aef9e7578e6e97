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
 * @brief Violations of a protocol's guarantees, each of which is reported once, even if it
 * persists.
 */
class ViolationLog
{
  public:
    /**
     * @brief The text of a violation, which is noted at the end of the expression that writes it.
     */
    class Text
    {
      public:
        /**
         * @param log Where it is noted.
         * @param property Which property is violated.
         */
        Text(ViolationLog& log, const std::string& property)
            : m_log(log)
        {
            m_text << property << ": ";
        }

        ~Text()
        {
            if (m_log.m_told.insert(m_text.str()).second)
            {
                m_log.m_new.push_back(m_text.str());
            }
        }

        Text(const Text&) = delete;
        Text& operator=(const Text&) = delete;

        /**
         * @param fact A part of the text.
         * @return this
         */
        template <typename T>
        Text& operator<<(const T& fact)
        {
            m_text << fact;
            return *this;
        }

      private:
        ViolationLog& m_log;       //!< Where it is noted
        std::ostringstream m_text; //!< The text so far
    };

    /**
     * Note a violation, unless it was noted before.
     *
     * @param property Which property is violated.
     * @return takes which replicas and entries do it, by `<<`
     */
    Text Note(const std::string& property)
    {
        return {*this, property};
    }

    /**
     * Note a violation, unless it was noted before.
     *
     * @tparam T Types of the facts.
     * @param property Which property is violated.
     * @param facts Which replicas and entries do it: parts of a text.
     */
    template <typename... T>
    void Note(const std::string& property, const T&... facts) requires(sizeof...(T) > 0)
    {
        Text text(*this, property);
        (text << ... << facts);
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
