// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tensor-container.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTensorContainer);

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

std::size_t
OpenGymTensorContainer::GetRawSize() const
{
    return GetSize() * GetItemSize(GetDtype());
}

bool
OpenGymTensorContainer::IsComplete() const
{
    return GetElementCount(GetShape()) == GetSize();
}

bool
OpenGymTensorContainer::HasRefused() const
{
    return m_hasRefused;
}

bool
OpenGymTensorContainer::Note(bool taken)
{
    m_hasRefused = m_hasRefused || !taken;
    return taken;
}

} // namespace ns3
