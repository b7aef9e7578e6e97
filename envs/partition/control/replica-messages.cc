// SPDX-License-Identifier: GPL-2.0-only

#include "replica-messages.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"

#include <string>
#include <utility>

namespace ns3
{

namespace
{

using Numbers = std::vector<int64_t>; // a message: numbers, and lists with their length before them

const std::string KEY = "default";

/**
 * @tparam T Type of the elements.
 * @param numbers Where a list is added.
 * @param list The list.
 */
template <typename T>
void
Append(Numbers& numbers, const std::vector<T>& list)
{
    numbers.push_back(list.size());
    numbers.insert(numbers.end(), list.begin(), list.end());
}

/**
 * @brief Reads numbers one after the other.
 */
class Reader
{
  public:
    /**
     * @param message Whose numbers.
     */
    explicit Reader(Ptr<OpenGymDictContainer> message)
        : m_numbers(message->Get(KEY)->GetObject<OpenGymBoxContainer<int64_t>>()->GetData())
    {
    }

    /**
     * @return the next number
     */
    int64_t Next()
    {
        return m_numbers.at(m_position++);
    }

    /**
     * @tparam T Type of the elements.
     * @return the next list
     */
    template <typename T>
    std::vector<T> NextList()
    {
        std::vector<T> list(Next());
        for (auto& each : list)
        {
            each = Next();
        }
        return list;
    }

  private:
    Numbers m_numbers;         //!< What is read
    std::size_t m_position{0}; //!< Where it stands
};

/**
 * @param numbers The numbers.
 * @return the message
 */
Ptr<OpenGymDictContainer>
MakeMessage(Numbers numbers)
{
    return MakeDictContainer(KEY, MakeBoxContainer(std::move(numbers)));
}

} // namespace

Ptr<OpenGymDictContainer>
ReplicaCommand::Encode() const
{
    Numbers numbers{static_cast<int64_t>(tick), power, request};
    Append(numbers, dropped);
    Append(numbers, released);
    return MakeMessage(std::move(numbers));
}

ReplicaCommand
ReplicaCommand::Decode(Ptr<OpenGymDictContainer> message)
{
    Reader reader(message);
    ReplicaCommand command;
    command.tick = reader.Next();
    command.power = static_cast<Power>(reader.Next());
    command.request = reader.Next();
    command.dropped = reader.NextList<uint64_t>();
    command.released = reader.NextList<uint64_t>();
    return command;
}

Ptr<OpenGymDictContainer>
ReplicaReport::Encode() const
{
    Numbers numbers{static_cast<int64_t>(tick), replica, state.active};
    Append(numbers, state.values);
    Append(numbers, state.internals);
    numbers.push_back(state.log.size());
    for (const auto& [term, request] : state.log)
    {
        numbers.insert(numbers.end(), {term, request});
    }
    numbers.push_back(pending.size());
    for (const auto& [number, from, to, arrived, content] : pending)
    {
        numbers.insert(
            numbers.end(),
            {static_cast<int64_t>(number), from, arrived, static_cast<int64_t>(content)});
    }
    return MakeMessage(std::move(numbers));
}

ReplicaReport
ReplicaReport::Decode(Ptr<OpenGymDictContainer> message)
{
    Reader reader(message);
    ReplicaReport report;
    report.tick = reader.Next();
    report.replica = reader.Next();
    report.state.active = reader.Next();
    report.state.values = reader.NextList<int64_t>();
    report.state.internals = reader.NextList<int64_t>();
    report.state.log.resize(reader.Next());
    for (auto& [term, request] : report.state.log)
    {
        term = reader.Next();
        request = reader.Next();
    }
    report.pending.resize(reader.Next());
    for (auto& [number, from, to, arrived, content] : report.pending)
    {
        number = reader.Next();
        from = reader.Next();
        to = report.replica;
        arrived = reader.Next();
        content = reader.Next();
    }
    return report;
}

} // namespace ns3
