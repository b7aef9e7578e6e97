// SPDX-License-Identifier: GPL-2.0-only

#ifndef TARGETS_H
#define TARGETS_H

#include <map>
#include <string>

/** A function under test, called with inputs. It must return; all else is a fault. */
using FuzzTarget = void (*)(const std::string& input);

/** @return the targets that decode messages, by name */
std::map<std::string, FuzzTarget> GetDecoderTargets();

/** @return the targets that read from peers, by name */
std::map<std::string, FuzzTarget> GetLinkTargets();

/**
 * Abort unless a condition holds.
 *
 * @param holds Whether the condition holds.
 * @param what Name of the condition.
 */
void Require(bool holds, const char* what);

#endif /* TARGETS_H */
