// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_CONTAINERS_H
#define OPENGYM_CONTAINERS_H

#include "ns3/opengym-box-container.h"
#include "ns3/opengym-dict-container.h"
#include "ns3/opengym-discrete-container.h"
#include "ns3/opengym-multi-binary-container.h"
#include "ns3/opengym-multi-discrete-container.h"
#include "ns3/opengym-text-container.h"
#include "ns3/opengym-tuple-container.h"

#endif /* OPENGYM_CONTAINERS_H */
