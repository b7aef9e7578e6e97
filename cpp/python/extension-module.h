// SPDX-License-Identifier: GPL-2.0-only

#ifndef EXTENSION_MODULE_H
#define EXTENSION_MODULE_H

// What all extension modules for Python have in common.

#define Py_LIMITED_API 0x030a0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/**
 * @param function A function that takes its arguments as an array.
 * @return the function as a table of methods holds it
 */
inline PyCFunction
Fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t))
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/**
 * @param name Name of a module.
 * @param doc What it is for.
 * @param methods What Python may call.
 * @return the module as Python loads it
 */
inline PyModuleDef
DescribeModule(const char* name, const char* doc, PyMethodDef* methods)
{
    return {PyModuleDef_HEAD_INIT, name, doc, 0, methods, nullptr, nullptr, nullptr, nullptr};
}

#endif /* EXTENSION_MODULE_H */
