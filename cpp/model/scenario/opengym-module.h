// SPDX-License-Identifier: GPL-2.0-only

// The header that ns3-gym's programs include by this name, and the headers that it included.

#ifndef OPENGYM_MODULE_H
#define OPENGYM_MODULE_H

#include "ns3/core-module.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-env.h"
#include "ns3/opengym-interface.h"
#include "ns3/opengym-spaces.h"

#endif /* OPENGYM_MODULE_H */
