// SPDX-License-Identifier: GPL-2.0-only

#include "rl-parameter.h"

#include "ns3/abort.h"

#include <array>
#include <cctype>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/** A unit of time and its text in ns-3. */
struct TimeUnit
{
    const char* name; //!< Name in ns-3's notation
    Time::Unit unit;  //!< The unit
};

/** Units of time for texts, the largest first. */
constexpr std::array<TimeUnit, 10> TIME_UNITS{{{"y", Time::Y},
                                               {"d", Time::D},
                                               {"h", Time::H},
                                               {"min", Time::MIN},
                                               {"s", Time::S},
                                               {"ms", Time::MS},
                                               {"us", Time::US},
                                               {"ns", Time::NS},
                                               {"ps", Time::PS},
                                               {"fs", Time::FS}}};

} // namespace

bool
ParseText(const std::string& text, bool& value)
{
    if (text == "true" || text == "t" || text == "1")
    {
        value = true;
    }
    else if (text == "false" || text == "f" || text == "0")
    {
        value = false;
    }
    else if (text.empty())
    {
        value = !value; // "--flag" alone negates the default, as everywhere in ns-3
    }
    else
    {
        return false;
    }
    return true;
}

bool
ParseText(const std::string& text, std::string& value)
{
    value = text;
    return true;
}

bool
ParseText(const std::string& text, Time& value)
{
    // The parts are parsed here, since Time aborts on an invalid text.
    const auto end = text.find_first_not_of("+-0123456789.eE");
    const auto number = text.substr(0, end);
    const auto name = end == std::string::npos ? std::string("s") : text.substr(end);
    const auto found = std::find_if(TIME_UNITS.begin(), TIME_UNITS.end(), [&name](const auto& one) {
        return name == one.name;
    });
    double amount = 0;
    if (found == TIME_UNITS.end() || !ParseText(number, amount) ||
        found->unit > Time::GetResolution() || // a smaller unit, on which Time aborts
        !(std::abs(amount) <= Time::Max().ToDouble(found->unit)))
    {
        return false;
    }
    // An integer may have more digits than double.
    int64_t integer = 0;
    value = ParseText(number, integer) ? Time::FromInteger(integer, found->unit)
                                       : Time::FromDouble(amount, found->unit);
    return true;
}

bool
ParseText(const std::string& text, DataRate& value)
{
    const bool starts = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front()));
    std::istringstream stream(text);
    DataRate rate;
    if (!starts || !(stream >> rate) || stream.peek() != std::istringstream::traits_type::eof())
    {
        return false;
    }
    value = rate;
    return true;
}

std::string
FormatText(bool value)
{
    return value ? "true" : "false";
}

std::string
FormatText(const std::string& value)
{
    return value;
}

std::string
FormatText(const Time& value)
{
    for (const auto& [name, unit] : TIME_UNITS)
    {
        // Users write seconds, not minutes; a unit below the clock's resolution does not exist.
        const bool usual = unit >= Time::S && unit <= Time::GetResolution();
        const int64_t amount = usual ? value.ToInteger(unit) : 0;
        if (usual && Time::FromInteger(amount, unit) == value)
        {
            return std::to_string(amount) + name;
        }
    }
    NS_ABORT_MSG("A time is not a whole number of steps of the resolution");
}

std::string
FormatText(const DataRate& value)
{
    const uint64_t bitRate = value.GetBitRate();
    uint64_t factor = 1000000000;
    for (const char* unit : {"Gbps", "Mbps", "kbps"})
    {
        if (bitRate != 0 && bitRate % factor == 0)
        {
            return std::to_string(bitRate / factor) + unit;
        }
        factor /= 1000;
    }
    return std::to_string(bitRate) + "bps";
}

std::string
RlParameterSpec::DescribeAllowed() const
{
    static const std::array<const char*, 7> kinds{"",
                                                  "true or false",
                                                  "an integer",
                                                  "a number",
                                                  "a text",
                                                  "a time such as 10ms",
                                                  "a data rate such as 5Mbps"};
    std::string text = kinds[static_cast<std::size_t>(type)];
    if (minimum && maximum)
    {
        text += " from " + *minimum + " to " + *maximum;
    }
    if (!choices.empty())
    {
        text = "one of ";
        for (const auto& choice : choices)
        {
            text += (choice == choices.front() ? "" : ", ") + choice;
        }
    }
    if (perAgent)
    {
        text += "; or one for each agent, as agent_0=...,agent_1=...";
    }
    return text;
}

} // namespace ns3
