// SPDX-License-Identifier: GPL-2.0-only

#ifndef MISSING_UNIT_H
#define MISSING_UNIT_H

#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * Warn of a time or data rate without a unit, once per text and place: in Python by
 * MissingUnitWarning, and otherwise as RlSimulation::Warn() does.
 *
 * @param before Words before the text, such as the name of a parameter.
 * @param text A valid time or data rate; 0 needs no unit.
 * @param isTime Whether the text is a time.
 * @param after Words after the warning, such as the line of the text.
 */
void WarnOfMissingUnit(const std::string& before,
                       const std::string& text,
                       bool isTime,
                       const std::string& after = "");

} // namespace ns3

#endif /* MISSING_UNIT_H */
