// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tensor-container.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTensorContainer);
NS_OBJECT_ENSURE_REGISTERED(OpenGymBoxContainerBase);
NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiDiscreteContainer);
NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiBinaryContainer);

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

TypeId
OpenGymTensorContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymTensorContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance");
    return tid;
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

TypeId
OpenGymBoxContainerBase::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymBoxContainerBase")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance");
    return tid;
}

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

TypeId
OpenGymMultiDiscreteContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiDiscreteContainer")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymMultiDiscreteContainer>();
    return tid;
}

TypeId
OpenGymMultiBinaryContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiBinaryContainer")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymMultiBinaryContainer>();
    return tid;
}

bool
OpenGymMultiBinaryContainer::AreAllowed(const std::vector<int8_t>& values) const
{
    return std::all_of(values.begin(), values.end(), [this](int8_t value) {
        return IsAllowed(value);
    });
}

} // namespace ns3
