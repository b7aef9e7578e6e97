// SPDX-License-Identifier: GPL-2.0-only

#ifndef GOLDEN_MESSAGES_H
#define GOLDEN_MESSAGES_H

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-space.h"

#include <map>
#include <string>

/** @return a space that contains each kind of space */
ns3::Ptr<ns3::OpenGymSpace> MakeGoldenSpace();

/** @return a container that contains each kind of container, of MakeGoldenSpace() */
ns3::Ptr<ns3::OpenGymDataContainer> MakeGoldenContainer();

/** @return an info that contains each type of value */
ns3::OpenGymInfo MakeGoldenInfo();

/**
 * The messages of tests/golden, which tests in both languages read.
 *
 * @return the bytes by file name
 */
std::map<std::string, std::string> MakeGoldenMessages();

#endif /* GOLDEN_MESSAGES_H */
