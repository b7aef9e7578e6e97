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
     * @return the next text
     */
    std::string NextText()
    {
        const auto characters = NextList<char>();
        return {characters.begin(), characters.end()};
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
    Numbers numbers{static_cast<int64_t>(tick), power, request, cuts};
    Append(numbers, cut);
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
    command.cuts = reader.Next();
    command.cut = reader.NextList<uint32_t>();
    command.dropped = reader.NextList<uint64_t>();
    command.released = reader.NextList<uint64_t>();
    return command;
}

namespace
{

/**
 * @param numbers Where a state is added.
 * @param state The state.
 */
void
AppendState(Numbers& numbers, const ReplicaState& state)
{
    numbers.insert(numbers.end(),
                   {state.active,
                    state.byzantine,
                    static_cast<int64_t>(state.compacted),
                    static_cast<int64_t>(state.digest)});
    Append(numbers, state.values);
    Append(numbers, state.internals);
    numbers.push_back(state.log.size());
    for (const auto& [term, request] : state.log)
    {
        numbers.insert(numbers.end(), {term, request});
    }
}

/**
 * @param reader Stands before a state.
 * @return the state
 */
ReplicaState
ReadState(Reader& reader)
{
    ReplicaState state;
    state.active = reader.Next();
    state.byzantine = reader.Next();
    state.compacted = reader.Next();
    state.digest = reader.Next();
    state.values = reader.NextList<int64_t>();
    state.internals = reader.NextList<int64_t>();
    state.log.resize(reader.Next());
    for (auto& [term, request] : state.log)
    {
        term = reader.Next();
        request = reader.Next();
    }
    return state;
}

} // namespace

Ptr<OpenGymDictContainer>
ReplicaReport::Encode() const
{
    Numbers numbers{static_cast<int64_t>(tick), replica, refused, delivered, cut};
    AppendState(numbers, state);
    numbers.push_back(pending.size());
    for (const auto& [number, from, to, arrived, content] : pending)
    {
        numbers.insert(
            numbers.end(),
            {static_cast<int64_t>(number), from, arrived, static_cast<int64_t>(content)});
    }
    numbers.push_back(events.size());
    for (const auto& [who, kind, height, round, value] : events)
    {
        numbers.insert(numbers.end(), {kind, height, round, value});
    }
    numbers.push_back(messages.size());
    for (const auto& [kind, from, to, number, time, text] : messages)
    {
        numbers.insert(numbers.end(), {kind, from, to, static_cast<int64_t>(number), time});
        Append(numbers, std::vector<char>(text.begin(), text.end()));
    }
    Append(numbers, std::vector<char>(failure.begin(), failure.end()));
    return MakeMessage(std::move(numbers));
}

ReplicaReport
ReplicaReport::Decode(Ptr<OpenGymDictContainer> message)
{
    Reader reader(message);
    ReplicaReport report;
    report.tick = reader.Next();
    report.replica = reader.Next();
    report.refused = reader.Next();
    report.delivered = reader.Next();
    report.cut = reader.Next();
    report.state = ReadState(reader);
    report.pending.resize(reader.Next());
    for (auto& [number, from, to, arrived, content] : report.pending)
    {
        number = reader.Next();
        from = reader.Next();
        to = report.replica;
        arrived = reader.Next();
        content = reader.Next();
    }
    report.events.resize(reader.Next());
    for (auto& [who, kind, height, round, value] : report.events)
    {
        who = report.replica;
        kind = reader.Next();
        height = reader.Next();
        round = reader.Next();
        value = reader.Next();
    }
    report.messages.resize(reader.Next());
    for (auto& [kind, from, to, number, time, text] : report.messages)
    {
        kind = static_cast<MessageEvent::Kind>(reader.Next());
        from = reader.Next();
        to = reader.Next();
        number = reader.Next();
        time = reader.Next();
        text = reader.NextText();
    }
    report.failure = reader.NextText();
    return report;
}

} // namespace ns3
