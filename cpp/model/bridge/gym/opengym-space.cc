// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-space.h"

#include "ns3/abort.h"

#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymSpace);

TypeId
OpenGymSpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymSpace").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

bool
OpenGymSpace::Contains(Ptr<const OpenGymDataContainer> value) const
{
    return FindFault(PeekPointer(value), true).empty();
}

std::string
OpenGymSpace::DescribeKind(const OpenGymDataContainer* value, const std::string& expected)
{
    return value
               ? "is of class " + value->GetInstanceTypeId().GetName() + ", but must be " + expected
               : "is missing";
}

uint64_t
OpenGymSpace::SampleUpTo(Ptr<UniformRandomVariable> random, uint64_t largest)
{
    constexpr uint32_t allBits = std::numeric_limits<uint32_t>::max();
    if (largest <= allBits)
    {
        return random->GetInteger(0, static_cast<uint32_t>(largest));
    }
    const auto draw = [&random] {
        const uint64_t upper = random->GetInteger(0, allBits);
        return (upper << 32) | random->GetInteger(0, allBits);
    };
    if (largest == std::numeric_limits<uint64_t>::max())
    {
        return draw();
    }
    // Draws beyond the last whole multiple of the range would favour small numbers.
    const uint64_t range = largest + 1;
    const uint64_t limit = std::numeric_limits<uint64_t>::max() / range * range;
    uint64_t value = draw();
    while (value >= limit)
    {
        value = draw();
    }
    return value % range;
}

int64_t
OpenGymSpace::SampleInteger(Ptr<UniformRandomVariable> random, int64_t low, int64_t high)
{
    // Unsigned arithmetic: the width of the range may exceed int64_t.
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + SampleUpTo(random, width));
}

double
OpenGymSpace::SampleReal(Ptr<UniformRandomVariable> random, double low, double high)
{
    const double u = random->GetValue(0, 1);
    const double exponential = -std::log1p(-u);
    if (std::isinf(low) && std::isinf(high))
    {
        const double angle = 2 * M_PI * random->GetValue(0, 1);
        return std::sqrt(2 * exponential) * std::cos(angle);
    }
    if (std::isinf(high))
    {
        return low + exponential;
    }
    if (std::isinf(low))
    {
        return high - exponential;
    }
    // The width of the range may exceed double.
    return low * (1 - u) + high * u;
}

int64_t
OpenGymSpace::NearestInteger(double value, int64_t low, int64_t high)
{
    NS_ABORT_MSG_IF(std::isnan(value), "NaN is near no integer");
    const double rounded = std::round(value);
    if (rounded <= static_cast<double>(low))
    {
        return low;
    }
    return rounded >= static_cast<double>(high) ? high : static_cast<int64_t>(rounded);
}

} // namespace ns3
