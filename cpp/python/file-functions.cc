// SPDX-License-Identifier: GPL-2.0-only

// Files that Python and simulations read by the same code: policies and capacity traces.

#include "arguments.h"
#include "functions.h"
#include "onnx-network.h"
#include "onnx-operators.h"
#include "trace-format.h"

#include <string>

namespace
{

/**
 * Raise ValueError.
 *
 * @param fault The message, in which names from a file may be any bytes.
 * @return nullptr
 */
PyObject*
Refuse(std::string_view fault)
{
    if (auto* message = PyUnicode_DecodeUTF8(fault.data(), fault.size(), "replace"))
    {
        PyErr_SetObject(PyExc_ValueError, message);
        Py_DECREF(message);
    }
    return nullptr;
}

/** See METHODS. */
PyObject*
ParseTrace(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 1);
    const std::string content(given.Bytes(0));
    std::string fault;
    const auto times = ns3::ParseTrace(content, fault);
    if (!given.AreValid() || !fault.empty())
    {
        return given.AreValid() ? Refuse(fault) : nullptr;
    }
    const auto size = static_cast<Py_ssize_t>(times.size() * sizeof(uint32_t));
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(times.data()), size);
}

/** See METHODS. */
PyObject*
Check(PyObject* /* module */, PyObject* const* arguments, Py_ssize_t count)
{
    Arguments given(arguments, count, 1);
    const auto content = given.Bytes(0);
    try
    {
        if (given.AreValid())
        {
            ns3::CheckOnnxModel(content);
        }
    }
    catch (const ns3::PolicyFault& fault)
    {
        return Refuse(fault.what());
    }
    return given.AreValid() ? Py_NewRef(Py_None) : nullptr;
}

/** See METHODS. */
PyObject*
ListOperators(PyObject* /* module */, PyObject* const* /* arguments */, Py_ssize_t /* count */)
{
    auto* names = PyList_New(0);
    for (const auto name : ns3::GetOperatorNames())
    {
        auto* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
        if (names && (!text || PyList_Append(names, text) != 0))
        {
            Py_CLEAR(names);
        }
        Py_XDECREF(text);
    }
    return names;
}

/** The functions that Python may call. */
PyMethodDef METHODS[] = {
    {"check_policy",
     Fast(Check),
     METH_FASTCALL,
     "check_policy(content): raise ValueError unless the content of a policy file is safe to load"},
    {"policy_operators",
     Fast(ListOperators),
     METH_FASTCALL,
     "policy_operators(): the operators of ONNX that policy files may have"},
    {"parse_trace",
     Fast(ParseTrace),
     METH_FASTCALL,
     "parse_trace(content): the times of a capacity trace in ms, as bytes of uint32; ValueError: "
     "the content has another format"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef*
GetFileMethods()
{
    return METHODS;
}
