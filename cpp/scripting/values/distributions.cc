// SPDX-License-Identifier: GPL-2.0-only

#include "distributions.h"

#include "attribute-types.h"
#include "simple-values.h"

#include "ns3/double.h"
#include "ns3/integer.h"

#include <cmath>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

/// The allowed range of a parameter.
struct Range
{
    const char* distribution; ///< first part of the name of the class
    const char* parameter;    ///< the attribute
    double least;             ///< the smallest value
    bool isOpen;              ///< whether the smallest value itself is forbidden
};

/// Ranges of parameters; a bound of 0 often stands for none.
constexpr Range RANGES[] = {
    {"Erlang", "K", 0, true},
    {"Erlang", "Lambda", 0, true},
    {"Exponential", "Bound", 0, false},
    {"Exponential", "Mean", 0, false},
    {"Gamma", "Alpha", 0, true},
    {"Gamma", "Beta", 0, true},
    {"Laplacian", "Bound", 0, false},
    {"Laplacian", "Scale", 0, true},
    {"LargestExtremeValue", "Scale", 0, true},
    {"LogNormal", "Sigma", 0, false},
    {"Normal", "Bound", 0, true},
    {"Normal", "Variance", 0, false},
    {"Pareto", "Bound", 0, false},
    {"Pareto", "Scale", 0, true},
    {"Pareto", "Shape", 0, true},
    {"Weibull", "Bound", 0, false},
    {"Weibull", "Scale", 0, true},
    {"Weibull", "Shape", 0, true},
    {"Zeta", "Alpha", 1, true},
    {"Zipf", "Alpha", 0, false},
    {"Zipf", "N", 0, true},
};

/**
 * @param distribution First part of the name of a class of random numbers.
 * @return the name of the class
 */
std::string
GetName(const std::string& distribution)
{
    return "ns3::" + distribution + "RandomVariable";
}

/**
 * @param value The value of an attribute.
 * @return the number; none: the value is not a number
 */
std::optional<double>
ReadNumber(const AttributeValue& value)
{
    if (const auto* real = dynamic_cast<const DoubleValue*>(&value))
    {
        return real->Get();
    }
    if (const auto* integer = dynamic_cast<const IntegerValue*>(&value))
    {
        return integer->Get();
    }
    return std::nullopt;
}

/**
 * @param number A number.
 * @return the number in decimal notation
 */
std::string
Write(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

/**
 * @param tid A class with this attribute.
 * @param values Values by attribute; other attributes have their defaults.
 * @param name Name of an attribute whose values are numbers.
 * @return the number
 */
double
GetNumber(TypeId tid,
          const std::map<std::string, Ptr<AttributeValue>>& values,
          const std::string& name)
{
    const auto found = values.find(name);
    const auto number =
        ReadNumber(found == values.end() ? *FindAttribute(tid, name).initialValue : *found->second);
    NS_ASSERT(number);
    return *number;
}

/**
 * Raise ValueError for a mean that no triangular distribution between two numbers has: ns-3 would
 * draw numbers outside of them.
 *
 * @param mean The mean.
 * @param min The smallest number.
 * @param max The largest number.
 */
void
CheckMean(double mean, double min, double max)
{
    const auto mode = 3 * mean - min - max;
    const auto rounding = 1e-9 * (std::abs(min) + std::abs(max));
    if (mode < min - rounding || mode > max + rounding)
    {
        RaiseValueError("Mean=" + Write(mean) + " must be between " + Write((2 * min + max) / 3) +
                        " and " + Write((min + 2 * max) / 3) + ", as Min=" + Write(min) +
                        " and Max=" + Write(max) +
                        "; give all three when the random variable is made");
    }
}

} // namespace

void
CheckParameter(TypeId tid, const std::string& name, const AttributeValue& value)
{
    const auto number = ReadNumber(value);
    for (const auto& range : RANGES)
    {
        if (!number || name != range.parameter || tid.GetName() != GetName(range.distribution) ||
            *number > range.least || (*number == range.least && !range.isOpen))
        {
            continue;
        }
        RaiseValueError(name + "=" + Write(*number) + " of " + tid.GetName() + " must be " +
                        (range.isOpen ? "greater than " : "at least ") + Write(range.least));
    }
}

void
CheckDistribution(TypeId tid, const std::map<std::string, Ptr<AttributeValue>>& values)
{
    const auto isTriangular = tid.GetName() == GetName("Triangular");
    if (isTriangular || tid.GetName() == GetName("Uniform"))
    {
        const auto min = GetNumber(tid, values, "Min");
        const auto max = GetNumber(tid, values, "Max");
        if (min > max)
        {
            RaiseValueError("Min=" + Write(min) + " is greater than Max=" + Write(max));
        }
        if (isTriangular)
        {
            CheckMean(GetNumber(tid, values, "Mean"), min, max);
        }
    }
    if (tid.GetName() == GetName("Pareto"))
    {
        const auto bound = GetNumber(tid, values, "Bound");
        const auto scale = GetNumber(tid, values, "Scale");
        if (bound > 0 && bound <= scale)
        {
            RaiseValueError("Bound=" + Write(bound) + " of " + tid.GetName() +
                            " must be 0, or greater than the least number, Scale=" + Write(scale));
        }
    }
}

} // namespace ns3
