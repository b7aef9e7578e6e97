// SPDX-License-Identifier: GPL-2.0-only

// Policy files: the check that simulations make, too.

#include "arguments.h"
#include "functions.h"
#include "onnx-network.h"
#include "onnx-operators.h"

namespace
{

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
        const std::string_view text = fault.what(); // names in the file may be any bytes
        if (auto* message = PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"))
        {
            PyErr_SetObject(PyExc_ValueError, message);
            Py_DECREF(message);
        }
        return nullptr;
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
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef*
GetPolicyMethods()
{
    return METHODS;
}
