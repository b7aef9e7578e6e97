// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DTYPE_H
#define OPENGYM_DTYPE_H

#include "ns3/abort.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * Element type of an array; the values are those of defiance.v1.DType.
 */
enum class OpenGymDtype
{
    FLOAT32 = 1,
    FLOAT64 = 2,
    INT8 = 3,
    INT16 = 4,
    INT32 = 5,
    INT64 = 6,
    UINT8 = 7,
    UINT16 = 8,
    UINT32 = 9,
    UINT64 = 10,
};

/**
 * @param dtype Element type.
 * @return the number of bytes of one element
 */
std::size_t GetItemSize(OpenGymDtype dtype);

/**
 * @param dtype Element type.
 * @return the name in NumPy, such as "float32"
 */
std::string GetDtypeName(OpenGymDtype dtype);

/**
 * Find an element type by name.
 *
 * @param name See ParseDtype().
 * @return the element type; nothing for an unknown name
 */
std::optional<OpenGymDtype> FindDtype(const std::string& name);

/**
 * Find an element type by name; abort when there is none.
 *
 * @param name NumPy's name ("float32") or the C++ type ("float", "int", "uint32_t").
 * @return the element type
 */
OpenGymDtype ParseDtype(const std::string& name);

/**
 * @tparam T Arithmetic C++ type.
 * @return the element type of the same size and signedness
 */
template <typename T>
constexpr OpenGymDtype
OpenGymDtypeOf()
{
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8,
                  "An array holds integers of 8 to 64 bits, float or double");
    if constexpr (std::is_floating_point_v<T>)
    {
        return sizeof(T) == 4 ? OpenGymDtype::FLOAT32 : OpenGymDtype::FLOAT64;
    }
    else
    {
        constexpr int log2Size =
            sizeof(T) == 1 ? 0 : (sizeof(T) == 2 ? 1 : (sizeof(T) == 4 ? 2 : 3));
        constexpr auto first = std::is_signed_v<T> ? OpenGymDtype::INT8 : OpenGymDtype::UINT8;
        return static_cast<OpenGymDtype>(static_cast<int>(first) + log2Size);
    }
}

/**
 * Call a generic function with the C++ type of an element type.
 *
 * @param dtype Element type.
 * @param function Called with a std::type_identity of the C++ type.
 * @return the function's result
 */
template <typename F>
auto
VisitDtype(OpenGymDtype dtype, F&& function)
{
    switch (dtype)
    {
    case OpenGymDtype::FLOAT32:
        return function(std::type_identity<float>{});
    case OpenGymDtype::FLOAT64:
        return function(std::type_identity<double>{});
    case OpenGymDtype::INT8:
        return function(std::type_identity<int8_t>{});
    case OpenGymDtype::INT16:
        return function(std::type_identity<int16_t>{});
    case OpenGymDtype::INT32:
        return function(std::type_identity<int32_t>{});
    case OpenGymDtype::INT64:
        return function(std::type_identity<int64_t>{});
    case OpenGymDtype::UINT8:
        return function(std::type_identity<uint8_t>{});
    case OpenGymDtype::UINT16:
        return function(std::type_identity<uint16_t>{});
    case OpenGymDtype::UINT32:
        return function(std::type_identity<uint32_t>{});
    case OpenGymDtype::UINT64:
        return function(std::type_identity<uint64_t>{});
    }
    NS_ABORT_MSG("Not an OpenGymDtype: " << static_cast<int>(dtype));
}

} // namespace ns3

#endif /* OPENGYM_DTYPE_H */
