// SPDX-License-Identifier: GPL-2.0-only

// The header that ns3-ai's programs include by this name.

#ifndef AI_MODULE_H
#define AI_MODULE_H

#include "ns3/opengym-module.h"

#endif /* AI_MODULE_H */
