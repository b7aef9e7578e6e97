// SPDX-License-Identifier: GPL-2.0-only

#include "private/environment-variables.h"

#include <cstdlib>

namespace ns3
{

std::string
GetVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

void
RefuseVariable(const char* name, const std::string& expected)
{
    ReportError(std::string("environment variable ") + name + " is '" + GetVariable(name) +
                "', which is not " + expected);
    EndProcess(2);
}

} // namespace ns3
