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

using Numbers = std::vector<int64_t>; // a message: numbers, and lists after their length

const std::string KEY = "default";

/**
 * @brief Writes numbers in order.
 */
class Writer
{
  public:
    Writer()
    {
        m_numbers.reserve(128); // more than most messages need
    }

    /**
     * @param values The numbers to add.
     */
    template <typename... T>
    void operator()(const T&... values)
    {
        (m_numbers.push_back(static_cast<int64_t>(values)), ...);
    }

    /**
     * @param list The length and the elements are added.
     * @param visit Adds an element.
     */
    template <typename List, typename F>
    void Each(const List& list, F visit)
    {
        m_numbers.push_back(list.size());
        for (const auto& element : list)
        {
            visit(element);
        }
    }

    /**
     * @return the message
     */
    Ptr<OpenGymDictContainer> Finish()
    {
        return MakeDictContainer(KEY, MakeBoxContainer(std::move(m_numbers)));
    }

  private:
    Numbers m_numbers; //!< The written text
};

/**
 * @brief Reads the output of a Writer.
 */
class Reader
{
  public:
    /**
     * @param message Message with the numbers.
     */
    explicit Reader(Ptr<OpenGymDictContainer> message)
        : m_box(message->Get(KEY)->GetObject<OpenGymBoxContainer<int64_t>>()),
          m_numbers(m_box->GetData())
    {
    }

    /**
     * @param values Set to the next numbers.
     */
    template <typename... T>
    void operator()(T&... values)
    {
        ((values = static_cast<T>(m_numbers.at(m_position++))), ...);
    }

    /**
     * @param list Set to the written number of elements.
     * @param visit Reads an element.
     */
    template <typename List, typename F>
    void Each(List& list, F visit)
    {
        list.resize(m_numbers.at(m_position++));
        for (auto& element : list)
        {
            visit(element);
        }
    }

  private:
    Ptr<const OpenGymBoxContainer<int64_t>> m_box; //!< The message
    const Numbers& m_numbers;                      //!< The elements to read
    std::size_t m_position{0};                     //!< Position in the text
};

/**
 * Pass a list of numbers, or a text, to a Writer or Reader.
 *
 * @param numbers The Writer or Reader.
 * @param list The list.
 */
template <typename Visitor, typename List>
void
VisitList(Visitor& numbers, List& list)
{
    numbers.Each(list, [&numbers](auto& element) { numbers(element); });
}

/**
 * Pass all fields of a command to a Writer or Reader.
 *
 * @param numbers The Writer or Reader.
 * @param command The command.
 */
template <typename Visitor, typename Command>
void
VisitCommand(Visitor& numbers, Command& command)
{
    numbers(command.tick, command.power, command.request, command.cuts, command.detail);
    VisitList(numbers, command.cut);
    VisitList(numbers, command.dropped);
    VisitList(numbers, command.released);
}

/**
 * Pass a state to a Writer or Reader.
 *
 * @param numbers The Writer or Reader.
 * @param state The state.
 */
template <typename Visitor, typename State>
void
VisitState(Visitor& numbers, State& state)
{
    numbers(state.active, state.byzantine, state.compacted, state.digest);
    VisitList(numbers, state.values);
    VisitList(numbers, state.internals);
    numbers.Each(state.log, [&](auto& entry) { numbers(entry.term, entry.request); });
}

/**
 * Pass all fields of a report to a Writer or Reader.
 *
 * @param numbers The Writer or Reader.
 * @param report The report.
 */
template <typename Visitor, typename Report>
void
VisitReport(Visitor& numbers, Report& report)
{
    numbers(report.tick, report.replica, report.refused, report.delivered, report.cut, report.kept);
    VisitState(numbers, report.state);
    numbers.Each(report.pending, [&](auto& message) {
        numbers(message.number, message.from, message.arrived, message.content);
    });
    numbers.Each(report.events,
                 [&](auto& event) { numbers(event.kind, event.height, event.round, event.value); });
    numbers.Each(report.messages, [&](auto& message) {
        numbers(message.kind, message.from, message.to, message.number, message.time);
        VisitList(numbers, message.text);
    });
    VisitList(numbers, report.failure);
}

} // namespace

Ptr<OpenGymDictContainer>
ReplicaCommand::Encode() const
{
    Writer writer;
    VisitCommand(writer, *this);
    return writer.Finish();
}

ReplicaCommand
ReplicaCommand::Decode(Ptr<OpenGymDictContainer> message)
{
    Reader reader(message);
    ReplicaCommand command;
    VisitCommand(reader, command);
    return command;
}

Ptr<OpenGymDictContainer>
ReplicaReport::Encode() const
{
    Writer writer;
    VisitReport(writer, *this);
    return writer.Finish();
}

ReplicaReport
ReplicaReport::Decode(Ptr<OpenGymDictContainer> message)
{
    Reader reader(message);
    ReplicaReport report;
    VisitReport(reader, report);
    for (auto& pending : report.pending)
    {
        pending.to = report.replica;
    }
    for (auto& event : report.events)
    {
        event.replica = report.replica;
    }
    return report;
}

} // namespace ns3
