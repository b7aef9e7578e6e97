// SPDX-License-Identifier: GPL-2.0-only

#include "missing-unit.h"

#include "rl-simulation.h"

#include "ns3/rl-parameter.h"

#include <set>

namespace ns3
{

void
WarnOfMissingUnit(const std::string& before,
                  const std::string& text,
                  bool isTime,
                  const std::string& after)
{
    static std::set<std::string> warned;
    double number = 0;
    if (!ParseText(text, number) || number == 0 || !warned.insert(before + text + after).second)
    {
        return;
    }
    const auto* const units = isTime ? " s: write " : " bit/s: write ";
    const auto usual = text + (isTime ? "s or " : "bps or ") + text + (isTime ? "ms" : "Mbps");
    // Python recognises the first two words.
    RlSimulation::Warn("missing unit: " + before + text + " was read as " + text + units + usual +
                       after);
}

} // namespace ns3
