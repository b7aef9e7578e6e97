// SPDX-License-Identifier: GPL-2.0-only

// The header that programs written for ns3-ai include by this name.

#ifndef AI_MODULE_H
#define AI_MODULE_H

#include "ns3/opengym-module.h"

#endif /* AI_MODULE_H */
