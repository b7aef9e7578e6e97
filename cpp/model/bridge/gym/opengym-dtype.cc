// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-dtype.h"

#include "ns3/abort.h"

#include <map>

namespace ns3
{

std::size_t
GetItemSize(OpenGymDtype dtype)
{
    return VisitDtype(dtype, [](auto type) { return sizeof(typename decltype(type)::type); });
}

std::string
GetDtypeName(OpenGymDtype dtype)
{
    return VisitDtype(dtype, [](auto type) -> std::string {
        using T = typename decltype(type)::type;
        const auto bits = std::to_string(8 * sizeof(T));
        if constexpr (std::is_floating_point_v<T>)
        {
            return "float" + bits;
        }
        return (std::is_signed_v<T> ? "int" : "uint") + bits;
    });
}

std::optional<OpenGymDtype>
FindDtype(const std::string& name)
{
    static const std::map<std::string, OpenGymDtype> names{
        {"float", OpenGymDtype::FLOAT32},
        {"double", OpenGymDtype::FLOAT64},
        {"char", OpenGymDtype::INT8},
        {"signed char", OpenGymDtype::INT8},
        {"short", OpenGymDtype::INT16},
        {"int", OpenGymDtype::INT32},
        {"long", OpenGymDtypeOf<long>()},
        {"long long", OpenGymDtype::INT64},
        {"unsigned char", OpenGymDtype::UINT8},
        {"unsigned short", OpenGymDtype::UINT16},
        {"unsigned", OpenGymDtype::UINT32},
        {"unsigned int", OpenGymDtype::UINT32},
        {"unsigned long", OpenGymDtypeOf<unsigned long>()},
        {"unsigned long long", OpenGymDtype::UINT64},
    };
    if (const auto found = names.find(name); found != names.end())
    {
        return found->second;
    }
    for (int number = 1; number <= static_cast<int>(OpenGymDtype::UINT64); ++number)
    {
        const auto dtype = static_cast<OpenGymDtype>(number);
        const auto dtypeName = GetDtypeName(dtype);
        if (name == dtypeName || name == dtypeName + "_t")
        {
            return dtype;
        }
    }
    return std::nullopt;
}

OpenGymDtype
ParseDtype(const std::string& name)
{
    const auto dtype = FindDtype(name);
    NS_ABORT_MSG_UNLESS(dtype,
                        "'" << name
                            << "' is not an element type; use one such as float32, int64 or uint8");
    return *dtype;
}

} // namespace ns3
