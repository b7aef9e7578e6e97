// SPDX-License-Identifier: GPL-2.0-only

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

// The functions of the extension module `_exchange`.

#include "arguments.h"

constexpr const char* TEMPLATE = "defiance.MessageTemplate"; //!< Name of capsules of templates

/** @return what Python may call of mailboxes and doorbells */
PyMethodDef* GetMailboxMethods();

/** @return what Python may call of pipes */
PyMethodDef* GetPipeMethods();

/** @return what Python may call of messages that look alike */
PyMethodDef* GetTemplateMethods();

#endif /* FUNCTIONS_H */
