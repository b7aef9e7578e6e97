// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_SPACES_H
#define OPENGYM_SPACES_H

#include "ns3/opengym-box-space.h"
#include "ns3/opengym-dict-space.h"
#include "ns3/opengym-discrete-space.h"
#include "ns3/opengym-multi-binary-space.h"
#include "ns3/opengym-multi-discrete-space.h"
#include "ns3/opengym-text-space.h"
#include "ns3/opengym-tuple-space.h"

#endif /* OPENGYM_SPACES_H */
