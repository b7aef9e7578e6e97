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
 * @brief Violations of a protocol's guarantees. Each violation is reported once, even if it
 * persists.
 */
class ViolationLog
{
  public:
    /**
     * @brief The text of a violation, which is logged at the end of the expression that writes it.
     */
    class Text
    {
      public:
        /**
         * @param log Log of the violation.
         * @param property The violated property.
         */
        Text(ViolationLog& log, const std::string& property)
            : m_log(log)
        {
            m_text << property << ": ";
        }

        ~Text()
        {
            if (m_log.m_reported.insert(m_text.str()).second)
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
        ViolationLog& m_log;       //!< Log of the violation
        std::ostringstream m_text; //!< The text so far
    };

    /**
     * Log a violation, unless it is logged already.
     *
     * @param property The violated property.
     * @return takes the replicas and entries, by `<<`
     */
    Text Note(const std::string& property)
    {
        return {*this, property};
    }

    /**
     * Log a violation, unless it is logged already.
     *
     * @tparam T Types of the facts.
     * @param property The violated property.
     * @param facts The replicas and entries: parts of a text.
     */
    template <typename... T>
    void Note(const std::string& property, const T&... facts) requires(sizeof...(T) > 0)
    {
        Text text(*this, property);
        (text << ... << facts);
    }

    /**
     * @return violations logged since the last call
     */
    std::vector<std::string> Take()
    {
        return std::exchange(m_new, {});
    }

  private:
    std::set<std::string> m_reported; //!< All reported violations
    std::vector<std::string> m_new;   //!< New violations
};

} // namespace ns3

#endif // VIOLATION_LOG_H
