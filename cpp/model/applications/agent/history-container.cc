// SPDX-License-Identifier: GPL-2.0-only

#include "history-container.h"

#include "ns3/abort.h"
#include "ns3/opengym-containers.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Aggregates = std::map<std::string, AggregatedInfo>; //!< Aggregates by key

/**
 * @brief Aggregate all numbers in a container.
 * @param container the container
 * @param key path of the container
 * @param aggregates aggregates to extend
 */
void
Aggregate(Ptr<OpenGymDataContainer> container, const std::string& key, Aggregates& aggregates)
{
    if (const auto tensor = DynamicCast<OpenGymTensorContainer>(container))
    {
        auto& aggregate = aggregates[key];
        for (std::size_t i = 0; i < tensor->GetSize(); ++i)
        {
            aggregate.UpdateStatistics(tensor->GetAsDouble(i));
        }
    }
    else if (const auto discrete = DynamicCast<OpenGymDiscreteContainer>(container))
    {
        aggregates[key].UpdateStatistics(static_cast<double>(discrete->GetValue()));
    }
    else if (const auto tuple = DynamicCast<OpenGymTupleContainer>(container))
    {
        for (uint32_t i = 0; i < tuple->GetSize(); ++i)
        {
            Aggregate(tuple->Get(i), key + "/" + std::to_string(i), aggregates);
        }
    }
    else if (const auto dict = DynamicCast<OpenGymDictContainer>(container))
    {
        for (const auto& [name, value] : dict->GetEntries())
        {
            Aggregate(value, key.empty() ? name : key + "/" + name, aggregates);
        }
    }
}

} // namespace

void
HistoryContainer::SetHistoryLength(uint32_t historyLength)
{
    NS_ABORT_MSG_IF(historyLength == 0, "A history needs room for at least one message");
    m_historyLength = historyLength;
    Trim();
}

void
HistoryContainer::Push(Ptr<OpenGymDictContainer> data, uint32_t id)
{
    const auto now = m_trackNs3Time ? std::optional(Simulator::Now()) : std::nullopt;
    const auto entry = std::make_shared<const TimestampedData>(TimestampedData{data, id, now});
    auto& history = m_histories[id];
    history.push_front(entry);
    m_combined.push_front(entry);
    if (history.size() > m_historyLength)
    {
        history.pop_back();
    }
    if (m_combined.size() > m_histories.size() * m_historyLength)
    {
        m_combined.pop_back();
    }
}

void
HistoryContainer::Trim()
{
    for (auto& [id, history] : m_histories)
    {
        history.resize(std::min<std::size_t>(history.size(), m_historyLength));
    }
    const auto capacity = m_histories.size() * m_historyLength;
    m_combined.resize(std::min(m_combined.size(), capacity));
}

std::vector<TimestampedDataPtr>
HistoryContainer::GetFirst(const History& history, uint32_t n)
{
    return {history.begin(), history.begin() + std::min<std::size_t>(n, history.size())};
}

TimestampedDataPtr
HistoryContainer::GetNewestByID(uint32_t id) const
{
    NS_ABORT_MSG_IF(GetSize(id) == 0,
                    "There is no message from " << id << " yet: ask GetSize(" << id << ") first");
    return m_histories.at(id).front();
}

std::vector<TimestampedDataPtr>
HistoryContainer::GetNewestByID(uint32_t id, uint32_t n) const
{
    const auto found = m_histories.find(id);
    return found == m_histories.end() ? std::vector<TimestampedDataPtr>{}
                                      : GetFirst(found->second, n);
}

TimestampedDataPtr
HistoryContainer::GetNewestOfCombinedHistory() const
{
    NS_ABORT_MSG_IF(m_combined.empty(), "There is no message yet: call GetSizeOfHistory() first");
    return m_combined.front();
}

std::map<std::string, AggregatedInfo>
HistoryContainer::AggregateNewest(uint32_t id, uint32_t n) const
{
    Aggregates aggregates;
    for (const auto& entry : GetNewestByID(id, n))
    {
        Aggregate(entry->data, "", aggregates);
    }
    return aggregates;
}

uint32_t
HistoryContainer::GetSize(uint32_t id) const
{
    const auto found = m_histories.find(id);
    return found == m_histories.end() ? 0 : found->second.size();
}

void
HistoryContainer::DeleteHistory(uint32_t id)
{
    m_histories.erase(id);
    std::erase_if(m_combined, [id](const TimestampedDataPtr& entry) { return entry->id == id; });
    Trim();
}

void
HistoryContainer::Print(std::ostream& os) const
{
    for (const auto& [id, history] : m_histories)
    {
        os << "history " << id << ": " << history.size() << " of " << m_historyLength
           << " messages\n";
    }
}

void
HistoryContainer::PrintHistory(std::ostream& os, uint32_t id) const
{
    const auto newestFirst = GetNewestByID(id, m_historyLength);
    for (auto entry = newestFirst.rbegin(); entry != newestFirst.rend(); ++entry)
    {
        if ((*entry)->timestamp)
        {
            os << (*entry)->timestamp->As(Time::S) << " ";
        }
        (*entry)->data->Print(os);
        os << "\n";
    }
}

} // namespace ns3
