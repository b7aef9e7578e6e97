// SPDX-License-Identifier: GPL-2.0-only

#include "replica-values.h"

#include "simple-values.h"

#include "ns3/hash.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>

namespace ns3
{

namespace
{

/**
 * @param kind A type of exception in Python.
 * @param message The fault and the remedy.
 */
[[noreturn]] void
Raise(PyObject* kind, const std::string& message)
{
    PyErr_SetString(kind, message.c_str());
    throw nb::python_error();
}

/**
 * @param value A value in Python.
 * @return the value's form in messages
 */
std::string
Show(nb::handle value)
{
    return nb::cast<std::string>(nb::repr(value));
}

/**
 * @param text Bytes.
 * @return the hash of the bytes
 */
int64_t
HashText(std::string_view text)
{
    return static_cast<int64_t>(Hash64(text.data(), text.size()));
}

/**
 * @param value An integer in Python.
 * @param least Least allowed integer.
 * @param largest Largest allowed integer.
 * @param what Description of the integer.
 * @return the integer
 */
int64_t
ToNumber(nb::handle value, int64_t least, int64_t largest, const std::string& what)
{
    if (!PyLong_Check(value.ptr()))
    {
        Raise(PyExc_TypeError, "state(): " + what + " is " + Show(value) + ", and no int");
    }
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0 || number < least || number > largest)
    {
        Raise(PyExc_ValueError,
              "state(): " + what + " is " + Show(value) + ", not from " + std::to_string(least) +
                  " to " + std::to_string(largest));
    }
    return number;
}

/**
 * @param list A value in Python.
 * @param what Description of the list.
 * @return the value as a list or tuple, for its elements
 */
nb::object
ToSequence(nb::handle list, const std::string& what)
{
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr()))
    {
        Raise(PyExc_TypeError, "state(): " + what + " is " + Show(list) + ", not a list or tuple");
    }
    return nb::borrow(list);
}

/**
 * @param field The type of a value.
 * @param replicas Number of replicas.
 * @return the largest allowed value
 */
int64_t
GetLargest(const ReplicaField& field, uint32_t replicas)
{
    switch (field.kind)
    {
    case ReplicaField::CHOICE:
        return field.largest;
    case ReplicaField::REPLICA:
        return replicas;
    default:
        return std::numeric_limits<int64_t>::max();
    }
}

/**
 * @param list Values of a state.
 * @param fields Types of the values.
 * @param replicas Number of replicas.
 * @return the values
 */
std::vector<int64_t>
ToValues(nb::handle list, const std::vector<ReplicaField>& fields, uint32_t replicas)
{
    const auto given = ToSequence(list, "fields");
    const auto count = nb::len(given);
    if (count != fields.size())
    {
        std::string names;
        for (const auto& field : fields)
        {
            names += " " + field.name;
        }
        Raise(PyExc_ValueError,
              "state(): there are " + std::to_string(count) + " values for the " +
                  std::to_string(fields.size()) + " fields" + names);
    }
    std::vector<int64_t> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; i++)
    {
        const nb::handle value = PySequence_Fast_GET_ITEM(given.ptr(), i);
        values.push_back(
            ToNumber(value, 0, GetLargest(fields[i], replicas), "field " + fields[i].name));
    }
    return values;
}

/**
 * @param list Entries.
 * @return the entries
 */
std::vector<ReplicaEntry>
ToLog(nb::handle list)
{
    const auto given = ToSequence(list, "log");
    const auto count = nb::len(given);
    std::vector<ReplicaEntry> log;
    log.reserve(count);
    for (std::size_t i = 0; i < count; i++)
    {
        PyObject* const entry = PySequence_Fast_GET_ITEM(given.ptr(), i);
        if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 2)
        {
            Raise(PyExc_TypeError,
                  "state(): entry " + std::to_string(i) + " of the log is " + Show(entry) +
                      ", not an Entry(term, request)");
        }
        const auto number = [&](int part, const char* what) {
            return static_cast<uint32_t>(ToNumber(PyTuple_GET_ITEM(entry, part),
                                                  0,
                                                  std::numeric_limits<uint32_t>::max(),
                                                  what));
        };
        log.push_back(
            {.term = number(0, "term of an entry"), .request = number(1, "request of an entry")});
    }
    return log;
}

/**
 * @brief A level of values in values; too many raise RecursionError.
 */
struct Level
{
    Level()
    {
        if (Py_EnterRecursiveCall(" in the internals of a state()") != 0)
        {
            throw nb::python_error();
        }
    }

    ~Level()
    {
        Py_LeaveRecursiveCall();
    }
};

/**
 * @param value Values that determine a process's behaviour: numbers, texts, bytes, None, and
 * collections of these.
 * @param internals Vector to extend by numbers that differ whenever the values do.
 */
void
AddInternal(nb::handle value, std::vector<int64_t>& internals)
{
    PyObject* const given = value.ptr();
    const Level level;
    if (PyLong_Check(given))
    {
        int overflow = 0;
        const int64_t number = PyLong_AsLongLongAndOverflow(given, &overflow);
        internals.push_back(overflow == 0 ? number : HashText(Show(value)));
    }
    else if (value.is_none())
    {
        internals.push_back(std::numeric_limits<int64_t>::min());
    }
    else if (PyFloat_Check(given))
    {
        internals.push_back(std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(given)));
    }
    else if (PyBytes_Check(given))
    {
        internals.push_back(HashText(
            {PyBytes_AS_STRING(given), static_cast<std::size_t>(PyBytes_GET_SIZE(given))}));
    }
    else if (PyUnicode_Check(given))
    {
        // A surrogate has no bytes in UTF-8.
        const bool isPlain = PyUnicode_AsUTF8(given) != nullptr;
        PyErr_Clear();
        internals.push_back(HashText(isPlain ? nb::cast<std::string>(value) : Show(value)));
    }
    else if (PyTuple_Check(given) || PyList_Check(given))
    {
        internals.push_back(static_cast<int64_t>(nb::len(value)));
        for (const auto each : nb::borrow(value))
        {
            AddInternal(each, internals);
        }
    }
    else if (PyDict_Check(given) || PyAnySet_Check(given))
    {
        // By content: a set has no visible order of its keys.
        std::vector<std::vector<int64_t>> parts;
        const nb::object items = PyDict_Check(given) ? value.attr("items")() : nb::borrow(value);
        for (const auto each : items)
        {
            AddInternal(each, parts.emplace_back());
        }
        std::sort(parts.begin(), parts.end());
        internals.push_back(static_cast<int64_t>(parts.size()));
        for (const auto& part : parts)
        {
            internals.insert(internals.end(), part.begin(), part.end());
        }
    }
    else
    {
        Raise(PyExc_TypeError,
              "state(): internals hold " + Show(value) +
                  ": use numbers, texts, bytes, None, and lists, tuples, dicts and sets of these");
    }
}

} // namespace

nb::bytes
ToBytes(Ptr<const Packet> packet)
{
    auto bytes = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, packet->GetSize()));
    packet->CopyData(reinterpret_cast<uint8_t*>(PyBytes_AS_STRING(bytes.ptr())), packet->GetSize());
    return bytes;
}

bool
ToTaken(nb::handle answer)
{
    if (!PyBool_Check(answer.ptr()))
    {
        Raise(PyExc_TypeError,
              "submit() returns " + Show(answer) +
                  ": return True if the request is taken, and False if not");
    }
    return answer.ptr() == Py_True;
}

ReplicaState
ToReplicaState(nb::handle state, const std::vector<ReplicaField>& fields, uint32_t replicas)
{
    if (!PyTuple_Check(state.ptr()) || PyTuple_GET_SIZE(state.ptr()) != 3)
    {
        Raise(PyExc_TypeError,
              "state() returns " + Show(state) + ", not a State(fields, log, internals)");
    }
    ReplicaState made;
    made.values = ToValues(PyTuple_GET_ITEM(state.ptr(), 0), fields, replicas);
    made.log = ToLog(PyTuple_GET_ITEM(state.ptr(), 1));
    AddInternal(PyTuple_GET_ITEM(state.ptr(), 2), made.internals);
    return made;
}

} // namespace ns3
