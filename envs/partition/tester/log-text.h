// SPDX-License-Identifier: GPL-2.0-only

#ifndef LOG_TEXT_H
#define LOG_TEXT_H

#include "replica-state.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A log as JSON, of which only changes are written again.
 */
class LogText
{
  public:
    /**
     * @param log The log.
     * @return its entries, each as its term and request in brackets, separated by commas
     */
    const std::string& Write(const std::vector<ReplicaEntry>& log);

  private:
    std::vector<ReplicaEntry> m_log; //!< The text
    std::vector<std::size_t> m_ends; //!< End of each entry's text
    std::string m_text;              //!< The text
};

} // namespace ns3

#endif // LOG_TEXT_H
