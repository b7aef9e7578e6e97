// SPDX-License-Identifier: GPL-2.0-only

// Python's side of mailboxes and doorbells. These functions take addresses of shared memory, owned
// by defiance_zoo.bridge.transport.mailbox.

#include "arguments.h"
#include "doorbell.h"
#include "functions.h"
#include "mailbox.h"
#include "message-rows.h"

#include <cstring>
#include <string_view>
#include <vector>

using ns3::AnswerRows;
using ns3::Doorbell;
using ns3::Mailbox;
using ns3::Mailboxes;
using ns3::MessageRows;
using ns3::MessageTemplate;
using ns3::RequestRows;

namespace
{

/** The fault, for messages. */
constexpr const char* UNFIT = "messages of this form do not fit a mailbox";

/**
 * Post a message for a simulation, and mark the simulation for the doorbell if it sleeps.
 *
 * @param boxes Mailboxes of the simulation.
 * @param doorbell Doorbell of the simulation.
 * @param message The message.
 * @return whether the message fits
 */
bool
Leave(Mailboxes& boxes, Doorbell& doorbell, std::string_view message)
{
    if (message.size() > Mailbox::CAPACITY)
    {
        PyErr_SetString(PyExc_ValueError, "the message is too long for a mailbox");
        return false;
    }
    std::memcpy(boxes.toSimulation.bytes, message.data(), message.size());
    if (boxes.toSimulation.Post(message.size()))
    {
        doorbell.due |= boxes.listener;
    }
    return true;
}

/**
 * Take the message of a simulation.
 *
 * @param inbox Mailbox.
 * @param microseconds Time to poll for a message.
 * @return Python bytes, or None: there is no message, and the simulation will wake this process
 */
PyObject*
Take(Mailbox& inbox, double microseconds)
{
    bool found = inbox.HasMessage();
    if (!found && microseconds > 0)
    {
        auto* state = PyEval_SaveThread();
        found = inbox.SpinWait(microseconds);
        PyEval_RestoreThread(state);
    }
    if (!found && inbox.PrepareToSleep())
    {
        Py_RETURN_NONE;
    }
    ++inbox.read;
    const auto length = inbox.GetLength();
    if (length > Mailbox::CAPACITY)
    {
        return PyErr_Format(PyExc_ValueError,
                            "a message of %llu bytes in a mailbox of %zu",
                            static_cast<unsigned long long>(length),
                            Mailbox::CAPACITY);
    }
    return PyBytes_FromStringAndSize(inbox.bytes, static_cast<Py_ssize_t>(length));
}

/** See METHODS. */
PyObject*
Layout(PyObject* /* module */, PyObject* /* none */)
{
    return Py_BuildValue("nnnn",
                         static_cast<Py_ssize_t>(sizeof(Mailboxes)),
                         static_cast<Py_ssize_t>(offsetof(Mailboxes, listener)),
                         static_cast<Py_ssize_t>(Mailbox::CAPACITY),
                         static_cast<Py_ssize_t>(sizeof(Doorbell)));
}

/** See METHODS. */
PyObject*
Post(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 3);
    auto* boxes = given.At<Mailboxes>(0);
    auto* doorbell = given.At<Doorbell>(1);
    const auto message = given.Bytes(2);
    if (!given.AreValid() || !Leave(*boxes, *doorbell, message))
    {
        return nullptr;
    }
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Ring(PyObject* /* module */, PyObject* address)
{
    Arguments given(&address, 1, 1);
    auto* doorbell = given.At<Doorbell>(0);
    if (!given.AreValid())
    {
        return nullptr;
    }
    doorbell->Ring();
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Close(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 2);
    auto* boxes = given.At<Mailboxes>(0);
    auto* doorbell = given.At<Doorbell>(1);
    if (!given.AreValid())
    {
        return nullptr;
    }
    if (boxes->toSimulation.Close())
    {
        doorbell->due |= boxes->listener;
    }
    doorbell->Ring();
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Take(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 2);
    auto* boxes = given.At<Mailboxes>(0);
    const auto microseconds = given.Real(1);
    return given.AreValid() ? Take(boxes->toPython, microseconds) : nullptr;
}

/** See METHODS. */
PyObject*
Exchange(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 4);
    auto* boxes = given.At<Mailboxes>(0);
    auto* doorbell = given.At<Doorbell>(1);
    const auto microseconds = given.Real(2);
    const auto message = given.Bytes(3);
    if (!given.AreValid() || !Leave(*boxes, *doorbell, message))
    {
        return nullptr;
    }
    doorbell->Ring();
    return Take(boxes->toPython, microseconds);
}

/** See METHODS. */
PyObject*
HasMessage(PyObject* /* module */, PyObject* address)
{
    Arguments given(&address, 1, 1);
    auto* boxes = given.At<Mailboxes>(0);
    return given.AreValid() ? PyBool_FromLong(boxes->toPython.HasMessage()) : nullptr;
}

/** See METHODS. */
PyObject*
Await(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 2);
    auto* doorbell = given.At<Doorbell>(0);
    auto missing = given.Size(1);
    if (!given.AreValid())
    {
        return nullptr;
    }
    // Messages that arrive from here on count, whether they are found below or not: at worst Python
    // is woken too early.
    const auto arrived = doorbell->arrivals.load(std::memory_order_seq_cst);
    for (Py_ssize_t i = 2; i < count && missing > 0; ++i)
    {
        auto* boxes = given.At<Mailboxes>(i);
        if (!given.AreValid())
        {
            return nullptr;
        }
        missing -= boxes->toPython.HasMessage() ? 1 : 0;
    }
    if (missing > 0)
    {
        const auto goal = arrived + missing;
        doorbell->awaited.store(goal, std::memory_order_seq_cst);
        if (doorbell->arrivals.load(std::memory_order_seq_cst) < goal)
        {
            Py_RETURN_FALSE;
        }
    }
    doorbell->awaited.store(0, std::memory_order_seq_cst);
    Py_RETURN_TRUE;
}

/**
 * @param given Arguments.
 * @param first Position of the count, then addresses of mailboxes, numbers and flags.
 * @return the parsed arguments
 */
MessageRows
ReadRows(Arguments& given, Py_ssize_t first)
{
    return {given.Size(first),
            given.At<Mailboxes*>(first + 1),
            given.At<uint64_t>(first + 2),
            given.At<uint8_t>(first + 3)};
}

/** See METHODS. */
PyObject*
PostRows(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 7);
    auto* doorbell = given.At<Doorbell>(0);
    const auto rows = ReadRows(given, 1);
    const auto* form = given.In<MessageTemplate>(5, TEMPLATE);
    const auto actions = given.Bytes(6);
    given.Require(!form || AnswerRows(*form).IsValid(), UNFIT);
    given.Require(!form || actions.size() == rows.count * AnswerRows(*form).GetActionSize(),
                  "the number of actions differs from the number of simulations");
    if (!given.AreValid())
    {
        return nullptr;
    }
    const AnswerRows answers(*form);
    for (std::size_t i = 0; i < rows.count; ++i)
    {
        const auto* action = actions.data() + i * answers.GetActionSize();
        if (rows.active[i] && answers.Post(*rows.boxes[i], rows.numbers[i], action))
        {
            doorbell->due |= rows.boxes[i]->listener;
        }
    }
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
TakeRows(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    constexpr Py_ssize_t FIRST = 7;
    Arguments given(arguments, count, FIRST);
    const auto rows = ReadRows(given, 0);
    const auto* form = given.In<MessageTemplate>(4, TEMPLATE);
    auto* taken = given.At<uint8_t>(5);
    auto* times = given.At<int64_t>(6);
    std::vector<char*> columns;
    for (auto i = FIRST; i < count; ++i)
    {
        columns.push_back(given.At<char>(i));
    }
    given.Require(!form || RequestRows(*form).IsValid(columns.size()), UNFIT);
    if (!given.AreValid())
    {
        return nullptr;
    }
    const RequestRows requests(*form);
    long number = 0;
    for (std::size_t i = 0; i < rows.count; ++i)
    {
        auto& box = rows.boxes[i]->toPython;
        taken[i] = rows.active[i] && requests.Take(box, rows.numbers[i] + 1, times[i], i, columns);
        rows.numbers[i] += taken[i];
        number += taken[i];
    }
    return PyLong_FromLong(number);
}

/** The functions that Python may call. */
PyMethodDef METHODS[] = {
    {"layout",
     Layout,
     METH_NOARGS,
     "layout(): size of mailboxes, offset of their listener, their capacity, size of a bell"},
    {"post",
     Fast(Post),
     METH_FASTCALL,
     "post(boxes, bell, message): post the message, without ringing"},
    {"ring", Ring, METH_O, "ring(bell): wake the simulations with posted messages"},
    {"close", Fast(Close), METH_FASTCALL, "close(boxes, bell): end posting"},
    {"take",
     Fast(Take),
     METH_FASTCALL,
     "take(boxes, microseconds): return a message; if there is none in this time, return None, "
     "and the next message wakes this process"},
    {"exchange",
     Fast(Exchange),
     METH_FASTCALL,
     "exchange(boxes, bell, microseconds, message): post, ring, and take"},
    {"has_message", HasMessage, METH_O, "has_message(boxes): return whether there is a message"},
    {"await_messages",
     Fast(Await),
     METH_FASTCALL,
     "await_messages(bell, count, *boxes): return whether `count` boxes may have messages; if not, "
     "a simulation will wake this process when they do"},
    {"post_rows",
     Fast(PostRows),
     METH_FASTCALL,
     "post_rows(bell, count, boxes, numbers, active, template, actions): post an answer for each "
     "active simulation, without ringing"},
    {"take_rows",
     Fast(TakeRows),
     METH_FASTCALL,
     "take_rows(count, boxes, numbers, active, template, taken, times, *columns): take the next "
     "requests that fit the template, and return their number"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef*
GetMailboxMethods()
{
    return METHODS;
}
