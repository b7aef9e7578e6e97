// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-containers.h"

#include "ns3/abort.h"
#include "ns3/object-type.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{

DEFIANCE_OBJECT(OpenGymDataContainer, Object);
DEFIANCE_OBJECT(OpenGymTensorContainer, OpenGymDataContainer);
DEFIANCE_OBJECT(OpenGymBoxContainerBase, OpenGymTensorContainer);
DEFIANCE_OBJECT(OpenGymMultiDiscreteContainer, OpenGymTensorContainer);
DEFIANCE_OBJECT(OpenGymMultiBinaryContainer, OpenGymTensorContainer);
DEFIANCE_OBJECT(OpenGymDiscreteContainer, OpenGymDataContainer);
DEFIANCE_OBJECT(OpenGymTextContainer, OpenGymDataContainer);
DEFIANCE_OBJECT(OpenGymTupleContainer, OpenGymDataContainer);
DEFIANCE_OBJECT(OpenGymDictContainer, OpenGymDataContainer);

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

std::optional<std::size_t>
GetElementCount(const std::vector<uint32_t>& shape)
{
    constexpr std::size_t largestItem = 8;
    constexpr auto limit =
        static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / largestItem;
    std::size_t count = 1;
    for (const auto length : shape)
    {
        if (length != 0 && count > limit / length)
        {
            return std::nullopt;
        }
        count *= length;
    }
    return count;
}

std::string
FormatShape(const std::vector<uint32_t>& shape)
{
    std::string text = "(";
    for (const auto length : shape)
    {
        text += std::to_string(length) + ",";
    }
    return text + ")";
}

template class OpenGymBoxContainer<float>;
template class OpenGymBoxContainer<double>;
template class OpenGymBoxContainer<int8_t>;
template class OpenGymBoxContainer<int16_t>;
template class OpenGymBoxContainer<int32_t>;
template class OpenGymBoxContainer<int64_t>;
template class OpenGymBoxContainer<uint8_t>;
template class OpenGymBoxContainer<uint16_t>;
template class OpenGymBoxContainer<uint32_t>;
template class OpenGymBoxContainer<uint64_t>;

/** Registers the box of each element type when the library is loaded. */
static struct OpenGymBoxContainerRegistration
{
    OpenGymBoxContainerRegistration()
    {
        for (int number = 1; number <= static_cast<int>(OpenGymDtype::UINT64); ++number)
        {
            VisitDtype(static_cast<OpenGymDtype>(number), [](auto type) {
                using Box = OpenGymBoxContainer<typename decltype(type)::type>;
                Box::GetTypeId().SetSize(sizeof(Box));
            });
        }
    }
} g_openGymBoxContainerRegistration; //!< Registers the type on construction

bool
OpenGymMultiBinaryContainer::AreAllowed(const std::vector<int8_t>& values) const
{
    return std::all_of(values.begin(), values.end(), [this](int8_t value) {
        return IsAllowed(value);
    });
}

bool
OpenGymDiscreteContainer::SetValue(int64_t value)
{
    if (m_n > 0 && (value < 0 || value >= m_n))
    {
        return false;
    }
    m_value = value;
    return true;
}

bool
OpenGymTextContainer::SetValue(std::string value)
{
    if (!IsUtf8(value))
    {
        return false;
    }
    m_value = std::move(value);
    return true;
}

Ptr<OpenGymDataContainer>
OpenGymTupleContainer::Copy() const
{
    auto copy = CopyObject(Ptr<const OpenGymTupleContainer>(this));
    for (auto& element : copy->m_elements)
    {
        element = element->Copy();
    }
    return copy;
}

Ptr<OpenGymDataContainer>
OpenGymDictContainer::Copy() const
{
    auto copy = CopyObject(Ptr<const OpenGymDictContainer>(this));
    for (auto& [key, value] : copy->m_entries)
    {
        value = value->Copy();
    }
    return copy;
}

} // namespace ns3
