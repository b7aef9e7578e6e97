// SPDX-License-Identifier: GPL-2.0-only

// Python's side of mailboxes and bells, as the extension module `_mailbox`. Its functions take
// addresses of shared memory, whose owner is defiance_zoo.simulation.mailbox.

#include "bell.h"
#include "extension-module.h"
#include "mailbox.h"
#include "message-rows.h"

#include <cstring>

using ns3::Bell;
using ns3::Mailbox;
using ns3::Mailboxes;
using ns3::MessageRows;

namespace
{

/**
 * @tparam T What is in shared memory.
 * @param address Its address, a Python int.
 * @return what is there
 */
template <typename T>
T&
At(PyObject* address)
{
    return *static_cast<T*>(PyLong_AsVoidPtr(address));
}

/**
 * Leave a message for a simulation, which is to be rung for if it sleeps.
 *
 * @param boxes Mailboxes of the simulation.
 * @param bell Bell of the simulation.
 * @param message Python bytes.
 * @return whether it fits
 */
bool
Leave(Mailboxes& boxes, Bell& bell, PyObject* message)
{
    char* bytes = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(message, &bytes, &length) != 0)
    {
        return false;
    }
    if (static_cast<std::size_t>(length) > Mailbox::CAPACITY)
    {
        PyErr_SetString(PyExc_ValueError, "the message is too long for a mailbox");
        return false;
    }
    std::memcpy(boxes.toSimulation.bytes, bytes, length);
    if (boxes.toSimulation.Post(length))
    {
        bell.due |= boxes.listener;
    }
    return true;
}

/**
 * Take the message of a simulation.
 *
 * @param inbox Mailbox.
 * @param microseconds How long to look for one.
 * @return Python bytes, or None: there is none, and the simulation will wake this process
 */
PyObject*
Take(Mailbox& inbox, double microseconds)
{
    bool found = inbox.HasMessage();
    if (!found && microseconds > 0)
    {
        auto* state = PyEval_SaveThread();
        found = inbox.Look(microseconds);
        PyEval_RestoreThread(state);
    }
    if (!found && inbox.Retire())
    {
        Py_RETURN_NONE;
    }
    ++inbox.read;
    return PyBytes_FromStringAndSize(inbox.bytes, static_cast<Py_ssize_t>(inbox.length));
}

/** See METHODS. */
PyObject*
Layout(PyObject* /* module */, PyObject* /* none */)
{
    return Py_BuildValue("nnnn",
                         static_cast<Py_ssize_t>(sizeof(Mailboxes)),
                         static_cast<Py_ssize_t>(offsetof(Mailboxes, listener)),
                         static_cast<Py_ssize_t>(Mailbox::CAPACITY),
                         static_cast<Py_ssize_t>(sizeof(Bell)));
}

/** See METHODS. */
PyObject*
Post(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    if (!Leave(At<Mailboxes>(arguments[0]), At<Bell>(arguments[1]), arguments[2]))
    {
        return nullptr;
    }
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Ring(PyObject* /* module */, PyObject* bell)
{
    At<Bell>(bell).Ring();
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Close(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    auto& boxes = At<Mailboxes>(arguments[0]);
    auto& bell = At<Bell>(arguments[1]);
    if (boxes.toSimulation.Close())
    {
        bell.due |= boxes.listener;
    }
    bell.Ring();
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
Take(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    return Take(At<Mailboxes>(arguments[0]).toPython, PyFloat_AsDouble(arguments[1]));
}

/** See METHODS. */
PyObject*
Exchange(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    auto& boxes = At<Mailboxes>(arguments[0]);
    auto& bell = At<Bell>(arguments[1]);
    if (!Leave(boxes, bell, arguments[2]))
    {
        return nullptr;
    }
    bell.Ring();
    return Take(boxes.toPython, PyFloat_AsDouble(arguments[3]));
}

/** See METHODS. */
PyObject*
HasMessage(PyObject* /* module */, PyObject* boxes)
{
    return PyBool_FromLong(At<Mailboxes>(boxes).toPython.HasMessage());
}

/** See METHODS. */
PyObject*
Await(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    auto& bell = At<Bell>(arguments[0]);
    auto missing = PyLong_AsSsize_t(arguments[1]);
    // What arrives from here on counts, be it seen below or not: at worst Python is woken too
    // early.
    const auto arrived = bell.arrivals.load(std::memory_order_seq_cst);
    for (Py_ssize_t i = 2; i < count && missing > 0; ++i)
    {
        missing -= At<Mailboxes>(arguments[i]).toPython.HasMessage() ? 1 : 0;
    }
    if (missing > 0)
    {
        const auto goal = arrived + static_cast<uint64_t>(missing);
        bell.awaited.store(goal, std::memory_order_seq_cst);
        if (bell.arrivals.load(std::memory_order_seq_cst) < goal)
        {
            Py_RETURN_FALSE;
        }
    }
    bell.awaited.store(0, std::memory_order_seq_cst);
    Py_RETURN_TRUE;
}

/**
 * @param arguments Count, then addresses of mailboxes, numbers and flags.
 * @return what they stand for
 */
MessageRows
ReadRows(PyObject* const* arguments)
{
    return {PyLong_AsSize_t(arguments[0]),
            &At<Mailboxes*>(arguments[1]),
            &At<uint64_t>(arguments[2]),
            &At<uint8_t>(arguments[3])};
}

/** See METHODS. */
PyObject*
PostRows(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    auto& bell = At<Bell>(arguments[0]);
    const auto rows = ReadRows(arguments + 1);
    const ns3::AnswerForm form{
        {PyBytes_AsString(arguments[5]), static_cast<std::size_t>(PyBytes_Size(arguments[5]))},
        PyLong_AsSize_t(arguments[6]),
        PyLong_AsSize_t(arguments[7]),
        PyLong_AsSize_t(arguments[8])};
    char* actions = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(arguments[9], &actions, &length) != 0)
    {
        return nullptr;
    }
    if (static_cast<std::size_t>(length) != rows.count * form.actionSize)
    {
        PyErr_SetString(PyExc_ValueError, "there is not one action for each simulation");
        return nullptr;
    }
    for (std::size_t i = 0; i < rows.count; ++i)
    {
        if (rows.active[i] &&
            form.Post(*rows.boxes[i], rows.numbers[i], actions + i * form.actionSize))
        {
            bell.due |= rows.boxes[i]->listener;
        }
    }
    Py_RETURN_NONE;
}

/** See METHODS. */
PyObject*
TakeRows(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t /* count */)
{
    const auto rows = ReadRows(arguments);
    const ns3::RequestForm form{
        {PyBytes_AsString(arguments[4]), static_cast<std::size_t>(PyBytes_Size(arguments[4]))},
        PyLong_AsSize_t(arguments[5]),
        PyLong_AsSize_t(arguments[6]),
        PyLong_AsSize_t(arguments[7]),
        PyLong_AsSize_t(arguments[8]),
        PyLong_AsSize_t(arguments[9])};
    auto* times = &At<char>(arguments[10]);
    auto* observations = &At<char>(arguments[11]);
    auto* rewards = &At<char>(arguments[12]);
    auto* taken = &At<uint8_t>(arguments[13]);
    long number = 0;
    for (std::size_t i = 0; i < rows.count; ++i)
    {
        taken[i] = rows.active[i] && form.Take(rows.boxes[i]->toPython,
                                               rows.numbers[i] + 1,
                                               times + i * sizeof(int64_t),
                                               observations + i * form.observationSize,
                                               rewards + i * sizeof(double));
        rows.numbers[i] += taken[i];
        number += taken[i];
    }
    return PyLong_FromLong(number);
}

/** What Python may call. */
PyMethodDef METHODS[] = {
    {"layout",
     Layout,
     METH_NOARGS,
     "layout(): size of mailboxes, where they hold their listener, their capacity, size of a bell"},
    {"post", Fast(Post), METH_FASTCALL, "post(boxes, bell, message): leave it, without ringing"},
    {"ring", Ring, METH_O, "ring(bell): wake the simulations that something was posted to"},
    {"close", Fast(Close), METH_FASTCALL, "close(boxes, bell): post nothing any more"},
    {"take",
     Fast(Take),
     METH_FASTCALL,
     "take(boxes, microseconds): a message; or None, and the simulation will wake this process"},
    {"exchange",
     Fast(Exchange),
     METH_FASTCALL,
     "exchange(boxes, bell, message, microseconds): post, ring, and take"},
    {"has_message", HasMessage, METH_O, "has_message(boxes): whether there is one"},
    {"await_messages",
     Fast(Await),
     METH_FASTCALL,
     "await_messages(bell, count, *boxes): whether so many may have messages; if not, one of the "
     "simulations will wake this process when they have"},
    {"post_rows",
     Fast(PostRows),
     METH_FASTCALL,
     "post_rows(bell, count, boxes, numbers, active, blank, number_at, action_at, action_size, "
     "actions): leave an answer for each active simulation, without ringing"},
    {"take_rows",
     Fast(TakeRows),
     METH_FASTCALL,
     "take_rows(count, boxes, numbers, active, blank, number_at, time_at, observation_at, "
     "observation_size, reward_at, times, observations, rewards, taken): take the next requests "
     "that look like the blank one, and return how many"},
    {nullptr, nullptr, 0, nullptr}};

/** What Python loads. */
PyModuleDef MODULE = DescribeModule("_mailbox", "Messages through shared memory.", METHODS);

} // namespace

/** @return the module */
PyMODINIT_FUNC
PyInit__mailbox()
{
    return PyModule_Create(&MODULE);
}
