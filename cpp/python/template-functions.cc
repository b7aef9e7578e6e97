// SPDX-License-Identifier: GPL-2.0-only

// Message templates: messages recognised and written by position.

#include "arguments.h"
#include "functions.h"
#include "message-template.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

using ns3::MessageField;
using ns3::MessageTemplate;

namespace
{

/** @param capsule A capsule that Python releases. */
void
Destroy(PyObject* capsule)
{
    delete static_cast<MessageTemplate*>(PyCapsule_GetPointer(capsule, TEMPLATE));
}

/**
 * @param numbers Begin and size of each field, as in memory.
 * @return the fields
 */
std::vector<MessageField>
ReadFields(std::string_view numbers)
{
    std::vector<MessageField> fields(numbers.size() / (2 * sizeof(uint64_t)));
    for (std::size_t i = 0; i < fields.size(); ++i)
    {
        uint64_t pair[2];
        std::memcpy(pair, numbers.data() + i * sizeof(pair), sizeof(pair));
        fields[i] = {pair[0], pair[1]};
    }
    return fields;
}

/** See METHODS. */
PyObject*
Make(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 2);
    const auto blank = given.Bytes(0);
    const auto numbers = given.Bytes(1);
    if (!given.AreValid())
    {
        return nullptr;
    }
    auto form = std::make_unique<MessageTemplate>(blank, ReadFields(numbers));
    given.Require(form->IsValid(), "the message does not contain its fields in order");
    auto* capsule = given.AreValid() ? PyCapsule_New(form.get(), TEMPLATE, Destroy) : nullptr;
    return capsule ? (form.release(), capsule) : nullptr;
}

/**
 * @param form The template of the message.
 * @param message The message.
 * @return the constant parts, in order, as Python bytes
 */
PyObject*
ReadConstants(const MessageTemplate& form, const char* message)
{
    std::size_t length = form.GetBlank().size();
    for (const auto& field : form.GetFields())
    {
        length -= field.size;
    }
    auto* constants = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(length));
    if (constants)
    {
        auto* target = PyBytes_AsString(constants);
        form.ForEachConstant([&](std::size_t begin, std::size_t size) {
            std::memcpy(target, message + begin, size);
            target += size;
            return true;
        });
    }
    return constants;
}

/** See METHODS. */
PyObject*
Split(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 2);
    const auto* form = given.In<MessageTemplate>(0, TEMPLATE);
    const auto message = given.Bytes(1);
    given.Require(!form || message.size() == form->GetBlank().size(),
                  "the message has another length");
    if (!given.AreValid())
    {
        return nullptr;
    }
    const auto fields = static_cast<Py_ssize_t>(form->GetFields().size());
    auto* parts = PyTuple_New(fields + 1);
    for (Py_ssize_t i = 0; parts && i <= fields; ++i)
    {
        PyObject* part = nullptr;
        if (i == 0)
        {
            part = ReadConstants(*form, message.data());
        }
        else
        {
            const auto field = form->Read(message.data(), static_cast<std::size_t>(i - 1));
            part = PyBytes_FromStringAndSize(field.data(), static_cast<Py_ssize_t>(field.size()));
        }
        if (!part || PyTuple_SetItem(parts, i, part) != 0)
        {
            Py_CLEAR(parts);
        }
    }
    return parts;
}

/**
 * Write a field of a message.
 *
 * @param form The template of the message.
 * @param place Index of the field.
 * @param value The value: bytes, or an object that converts to bytes.
 * @param [out] message Begin of the message.
 * @return whether the value has the size of the field; if not, Python's error is set
 */
bool
WriteField(const MessageTemplate& form, std::size_t place, PyObject* value, char* message)
{
    char* bytes = nullptr;
    Py_ssize_t length = 0;
    auto* own = PyBytes_Check(value) ? Py_NewRef(value) : PyBytes_FromObject(value);
    bool fits = own && PyBytes_AsStringAndSize(own, &bytes, &length) == 0;
    if (fits && static_cast<std::size_t>(length) != form.GetFields()[place].size)
    {
        PyErr_Format(PyExc_ValueError,
                     "field %zu has %zu bytes, not %zd",
                     place,
                     form.GetFields()[place].size,
                     length);
        fits = false;
    }
    if (fits)
    {
        form.Write(message, place, bytes);
    }
    Py_XDECREF(own);
    return fits;
}

/** See METHODS. */
PyObject*
Join(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 1);
    const auto* form = given.In<MessageTemplate>(0, TEMPLATE);
    given.Require(!form || static_cast<std::size_t>(count - 1) == form->GetFields().size(),
                  "the number of values differs from the number of fields");
    if (!given.AreValid())
    {
        return nullptr;
    }
    const auto& blank = form->GetBlank();
    auto* message = PyBytes_FromStringAndSize(blank.data(), static_cast<Py_ssize_t>(blank.size()));
    for (Py_ssize_t i = 1; message && i < count; ++i)
    {
        auto* target = PyBytes_AsString(message);
        if (!WriteField(*form, static_cast<std::size_t>(i - 1), arguments[i], target))
        {
            Py_CLEAR(message);
        }
    }
    return message;
}

/** The functions that Python may call. */
PyMethodDef METHODS[] = {
    {"template",
     Fast(Make),
     METH_FASTCALL,
     "template(blank, fields): the template of messages that differ only in these fields, whose "
     "offsets and sizes are in an array of 64-bit numbers"},
    {"split",
     Fast(Split),
     METH_FASTCALL,
     "split(template, message): the constant part of a message of this length, and each field"},
    {"join",
     Fast(Join),
     METH_FASTCALL,
     "join(template, *values): the message with these values in its fields"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef*
GetTemplateMethods()
{
    return METHODS;
}
