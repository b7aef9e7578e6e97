// SPDX-License-Identifier: GPL-2.0-only

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

// The functions of the extension module `_exchange`.

#include "arguments.h"

constexpr const char* TEMPLATE = "defiance.MessageTemplate"; //!< Name of capsules of templates

/** @return functions of mailboxes and doorbells */
PyMethodDef* GetMailboxMethods();

/** @return functions of pipes */
PyMethodDef* GetPipeMethods();

/** @return functions of files: policies and capacity traces */
PyMethodDef* GetFileMethods();

/** @return functions of message templates */
PyMethodDef* GetTemplateMethods();

#endif /* FUNCTIONS_H */
