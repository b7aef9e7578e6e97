// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_PLACE_H
#define SCRIPT_PLACE_H

#include "ns3/object.h"

#include <string>

namespace ns3
{

/**
 * @return the line of a traceback that says where in the scenario's own code Python is; empty: it
 * is nowhere there
 */
std::string FindPlace();

/** @return whether Python calls nothing but the simulation itself: no function of the scenario's */
bool IsBetweenFunctions();

/**
 * Note that an object is made by what Python does now, until the end of the simulation.
 *
 * @param object The object.
 */
void NotePlace(Ptr<Object> object);

/**
 * @param object An object.
 * @return where it was made, see FindPlace(); empty: that was not noted
 */
std::string GetPlace(Ptr<const Object> object);

} // namespace ns3

#endif /* SCRIPT_PLACE_H */
