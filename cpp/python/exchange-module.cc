// SPDX-License-Identifier: GPL-2.0-only

// The functions that Python calls at each step, and those that read what simulations read, too: the
// extension module
// `_exchange`, with CPython's stable interface.

#include "functions.h"

namespace
{

/** The module for Python. */
PyModuleDef MODULE = {PyModuleDef_HEAD_INIT,
                      "_exchange",
                      "Messages to simulations and from them, and files that both read.",
                      0,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

} // namespace

/** @return the module */
PyMODINIT_FUNC
PyInit__exchange()
{
    auto* module = PyModule_Create(&MODULE);
    for (auto* methods :
         {GetMailboxMethods(), GetPipeMethods(), GetFileMethods(), GetTemplateMethods()})
    {
        if (module && PyModule_AddFunctions(module, methods) != 0)
        {
            Py_CLEAR(module);
        }
    }
    return module;
}
