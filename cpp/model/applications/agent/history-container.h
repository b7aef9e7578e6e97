// SPDX-License-Identifier: GPL-2.0-only

#ifndef HISTORY_CONTAINER_H
#define HISTORY_CONTAINER_H

#include "aggregated-info.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/opengym-containers.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A received message.
 */
struct TimestampedData
{
    Ptr<OpenGymDictContainer> data; //!< The message
    uint32_t id;                    //!< Number of the sending application
    std::optional<Time> timestamp;  //!< Simulated time of arrival, if recorded
};

/// A stored message; it stays valid after its removal from the history.
using TimestampedDataPtr = std::shared_ptr<const TimestampedData>;

/**
 * @ingroup defiance
 *
 * @brief The newest messages of each source, and the newest of all sources together.
 *
 * Each source has a history of limited length. The combined history has room for as many messages
 * as all these histories together. So it may hold more messages of a fast source than the source's
 * own history.
 */
class HistoryContainer
{
  public:
    using Aggregates = std::map<std::string, AggregatedInfo>; //!< Aggregates by key

    /**
     * @brief Create a container without messages.
     * @param historyLength number of messages to keep of each source, at least 1
     * @param trackNs3Time whether to record the times of arrival
     */
    explicit HistoryContainer(uint32_t historyLength, bool trackNs3Time = false)
        : m_trackNs3Time(trackNs3Time)
    {
        SetHistoryLength(historyLength);
    }

    /**
     * @brief Change the length, and discard messages that are too old.
     * @param historyLength number of messages to keep of each source, at least 1
     */
    void SetHistoryLength(uint32_t historyLength)
    {
        NS_ABORT_MSG_IF(historyLength == 0, "A history needs room for at least one message");
        m_historyLength = historyLength;
        Trim();
    }

    /**
     * @brief Choose whether to record the times of arrival from now on.
     * @param trackNs3Time whether to record them
     */
    void SetTrackNs3Time(bool trackNs3Time)
    {
        m_trackNs3Time = trackNs3Time;
    }

    /**
     * @brief Store a message as the newest.
     * @param data the message
     * @param id number of its source
     */
    void Push(Ptr<OpenGymDictContainer> data, uint32_t id)
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

    /**
     * @brief Get the newest message of a source; abort if there is none.
     * @param id number of the source
     * @return the message
     */
    TimestampedDataPtr GetNewestByID(uint32_t id) const
    {
        NS_ABORT_MSG_IF(GetSize(id) == 0,
                        "There is no message from " << id << " yet: ask GetSize(" << id
                                                    << ") first");
        return m_histories.at(id).front();
    }

    /**
     * @brief Get the newest messages of a source.
     * @param id number of the source
     * @param n number of messages
     * @return the messages, newest first; fewer than n if there are fewer
     */
    std::vector<TimestampedDataPtr> GetNewestByID(uint32_t id, uint32_t n) const
    {
        const auto found = m_histories.find(id);
        return found == m_histories.end() ? std::vector<TimestampedDataPtr>{}
                                          : GetFirst(found->second, n);
    }

    /**
     * @brief Get the newest message of all sources; abort if there is none.
     * @return the message
     */
    TimestampedDataPtr GetNewestOfCombinedHistory() const
    {
        NS_ABORT_MSG_IF(m_combined.empty(),
                        "There is no message yet: call GetSizeOfHistory() first");
        return m_combined.front();
    }

    /**
     * @brief Get the newest messages of all sources.
     * @param n number of messages
     * @return the messages, newest first; fewer than n if there are fewer
     */
    std::vector<TimestampedDataPtr> GetNewestOfCombinedHistory(uint32_t n) const
    {
        return GetFirst(m_combined, n);
    }

    /**
     * @brief Aggregate the numbers in the newest messages of a source.
     *
     * All numbers under one key have the same weight, in all messages. Keys are the messages' keys.
     * Inside nested containers, the path is joined by "/", and the elements of tuples are numbered
     * from 0: "queues/2/length". Texts are left out.
     *
     * @param id number of the source
     * @param n number of messages
     * @return minimum, maximum and mean by key
     */
    Aggregates AggregateNewest(uint32_t id, uint32_t n = 1) const
    {
        Aggregates aggregates;
        for (const auto& entry : GetNewestByID(id, n))
        {
            Aggregate(entry->data, "", aggregates);
        }
        return aggregates;
    }

    /**
     * @brief Get the number of messages of a source.
     * @param id number of the source
     * @return the number, 0 for an unknown source
     */
    uint32_t GetSize(uint32_t id) const
    {
        const auto found = m_histories.find(id);
        return found == m_histories.end() ? 0 : found->second.size();
    }

    /**
     * @brief Get the number of messages in the combined history.
     * @return the number
     */
    uint32_t GetSizeOfHistory() const
    {
        return m_combined.size();
    }

    /**
     * @brief Get the number of sources.
     * @return the number
     */
    uint32_t GetHistoryCount() const
    {
        return m_histories.size();
    }

    /**
     * @brief Return whether there is a history of a source.
     * @param id number of the source
     * @return true after its first message
     */
    bool HistoryExists(uint32_t id) const
    {
        return m_histories.contains(id);
    }

    /**
     * @brief Remove a source, also from the combined history.
     * @param id number of the source
     */
    void DeleteHistory(uint32_t id)
    {
        m_histories.erase(id);
        std::erase_if(m_combined,
                      [id](const TimestampedDataPtr& entry) { return entry->id == id; });
        Trim();
    }

    /**
     * @brief Write the number of messages of each source.
     * @param os the stream
     */
    void Print(std::ostream& os) const
    {
        for (const auto& [id, history] : m_histories)
        {
            os << "history " << id << ": " << history.size() << " of " << m_historyLength
               << " messages\n";
        }
    }

    /**
     * @brief Write the messages of a source, oldest first.
     * @param os the stream
     * @param id number of the source
     */
    void PrintHistory(std::ostream& os, uint32_t id) const
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

  private:
    /**
     * @brief Aggregate all numbers in a container.
     * @param container the container
     * @param key path of the container
     * @param aggregates aggregates to extend
     */
    static void Aggregate(Ptr<OpenGymDataContainer> container,
                          const std::string& key,
                          Aggregates& aggregates)
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

    using History = std::deque<TimestampedDataPtr>; //!< Messages, newest first

    /**
     * @brief Get the first elements of a history.
     * @param history the history
     * @param n number of elements
     * @return at most n messages
     */
    static std::vector<TimestampedDataPtr> GetFirst(const History& history, uint32_t n)
    {
        return {history.begin(), history.begin() + std::min<std::size_t>(n, history.size())};
    }

    /// Discard messages that are too old.
    void Trim()
    {
        for (auto& [id, history] : m_histories)
        {
            history.resize(std::min<std::size_t>(history.size(), m_historyLength));
        }
        const auto capacity = m_histories.size() * m_historyLength;
        m_combined.resize(std::min(m_combined.size(), capacity));
    }

    uint32_t m_historyLength;                //!< Messages to keep of each source
    bool m_trackNs3Time;                     //!< Whether to record arrivals
    std::map<uint32_t, History> m_histories; //!< Histories by source
    History m_combined;                      //!< History of all sources
};

} // namespace ns3

#endif // HISTORY_CONTAINER_H
