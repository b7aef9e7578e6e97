// SPDX-License-Identifier: GPL-2.0-only

#include "hook-parameters.h"

#include <algorithm>

namespace ns3
{

std::size_t
CountParameters(nb::handle function, std::size_t count)
{
    const bool isBound = PyMethod_Check(function.ptr());
    PyObject* const plain = isBound ? PyMethod_GET_FUNCTION(function.ptr()) : function.ptr();
    if (!PyFunction_Check(plain))
    {
        return count;
    }
    const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(plain));
    PyObject* const defaults = PyFunction_GET_DEFAULTS(plain);
    const Py_ssize_t own = isBound ? 1 : 0; // self
    const Py_ssize_t most = std::max<Py_ssize_t>(code->co_argcount - own, 0);
    const Py_ssize_t least =
        std::max<Py_ssize_t>(most - (defaults ? PyTuple_GET_SIZE(defaults) : 0), 0);
    const auto given = static_cast<Py_ssize_t>(count);
    if (least > given)
    {
        return least;
    }
    return (code->co_flags & CO_VARARGS) ? given : std::min(given, most);
}

} // namespace ns3
