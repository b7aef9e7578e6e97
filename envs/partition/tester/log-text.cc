// SPDX-License-Identifier: GPL-2.0-only

#include "log-text.h"

namespace ns3
{

const std::string&
LogText::Write(const std::vector<ReplicaEntry>& log)
{
    const auto kept = CountCommon(m_log, log);
    m_ends.resize(kept);
    m_text.resize(kept == 0 ? 0 : m_ends.back());
    for (std::size_t i = kept; i < log.size(); i++)
    {
        m_text += i == 0 ? "[" : ",[";
        m_text += std::to_string(log[i].term) + "," + std::to_string(log[i].request) + "]";
        m_ends.push_back(m_text.size());
    }
    m_log = log;
    return m_text;
}

} // namespace ns3
