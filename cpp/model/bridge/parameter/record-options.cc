// SPDX-License-Identifier: GPL-2.0-only

#include "private/record-options.h"

#include "private/environment-variables.h"

namespace ns3
{

RecordOptions
RecordOptions::FromEnvironment()
{
    RecordOptions options;
    options.folder = GetVariable("DEFIANCE_RECORD_TO");
    if (options.folder.empty())
    {
        return options;
    }
    options.interval = ReadVariable<Time>("DEFIANCE_RECORD_INTERVAL", "a time such as 10ms")
                           .value_or(options.interval);
    options.pcap = ReadVariable<bool>("DEFIANCE_RECORD_PCAP", "true or false").value_or(false);
    return options;
}

std::string
RecordOptions::FindFault() const
{
    return interval.IsStrictlyPositive() ? ""
                                         : "the time between samples of a recording is " +
                                               FormatText(interval) + ", but must be positive";
}

} // namespace ns3
