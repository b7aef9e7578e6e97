// SPDX-License-Identifier: GPL-2.0-only

#ifndef TARGETS_H
#define TARGETS_H

#include <map>
#include <string>

/** A function that is fed with inputs. It returns where it should, and anything else is a fault. */
using FuzzTarget = void (*)(const std::string& input);

/** @return what decodes messages, by name */
std::map<std::string, FuzzTarget> GetDecoderTargets();

/** @return what reads from others, by name */
std::map<std::string, FuzzTarget> GetLinkTargets();

/**
 * Abort unless something holds.
 *
 * @param holds Whether it does.
 * @param what Its name.
 */
void Require(bool holds, const char* what);

#endif /* TARGETS_H */
