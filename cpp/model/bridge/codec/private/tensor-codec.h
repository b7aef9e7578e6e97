// SPDX-License-Identifier: GPL-2.0-only

// The common part of the codecs of single containers and of stacks.

#ifndef TENSOR_CODEC_H
#define TENSOR_CODEC_H

#include "opengym-codec.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace ns3
{

// Arrays are sent in this machine's representation.
static_assert(std::endian::native == std::endian::little, "The wire is little-endian");

/**
 * @param begin First length of an axis, in a message.
 * @param end End of the lengths.
 * @return the shape, or nothing when an axis is too long
 */
template <typename Iterator>
std::optional<std::vector<uint32_t>>
DecodeShape(Iterator begin, Iterator end)
{
    std::vector<uint32_t> shape;
    for (; begin != end; ++begin)
    {
        if (*begin > std::numeric_limits<uint32_t>::max())
        {
            return std::nullopt;
        }
        shape.push_back(static_cast<uint32_t>(*begin));
    }
    return shape;
}

/**
 * @tparam T Element type.
 * @param tensor Any message.
 * @param count Number of elements.
 * @return whether the message holds this number of elements of this type
 */
template <typename T>
bool
IsTensorOf(const defiance::v1::Tensor& tensor, std::size_t count)
{
    return static_cast<int>(tensor.dtype()) == static_cast<int>(OpenGymDtypeOf<T>()) &&
           tensor.data().size() / sizeof(T) == count && tensor.data().size() % sizeof(T) == 0;
}

/**
 * @tparam Container Class of the array.
 * @tparam T Element type of the array.
 * @param shape Shape of the array.
 * @param bytes Elements of the array.
 * @param count Number of elements.
 * @return the array, or null when it does not allow an element
 */
template <typename Container, typename T>
Ptr<OpenGymDataContainer>
MakeTensor(const std::vector<uint32_t>& shape, const char* bytes, std::size_t count)
{
    std::vector<T> data(count);
    if (count > 0)
    {
        std::memcpy(data.data(), bytes, count * sizeof(T));
    }
    auto container = MakeEmptyContainer<Container>();
    return container->Assign(shape, std::move(data)) ? container : nullptr;
}

/**
 * @param tensor Any message.
 * @param function Called with the element type of a box, as VisitDtype does.
 * @return the function's result; a default value when there is no such type
 */
template <typename F>
auto
VisitBox(const defiance::v1::Tensor& tensor, F function)
    -> decltype(VisitDtype(OpenGymDtype{}, function))
{
    if (tensor.dtype() == defiance::v1::DTYPE_UNSPECIFIED ||
        !defiance::v1::DType_IsValid(tensor.dtype()))
    {
        return {};
    }
    return VisitDtype(static_cast<OpenGymDtype>(tensor.dtype()), function);
}

} // namespace ns3

#endif /* TENSOR_CODEC_H */
