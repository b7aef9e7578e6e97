// SPDX-License-Identifier: GPL-2.0-only

#include "rl-per-agent.h"

#include <sstream>

namespace ns3
{

std::optional<std::map<std::string, std::string>>
SplitByAgent(const std::string& text)
{
    if (text.find('=') == std::string::npos)
    {
        return std::map<std::string, std::string>{{"", text}};
    }
    std::map<std::string, std::string> values;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        const auto sign = part.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == part.size() ||
            !values.emplace(part.substr(0, sign), part.substr(sign + 1)).second)
        {
            return std::nullopt;
        }
    }
    return values;
}

} // namespace ns3
