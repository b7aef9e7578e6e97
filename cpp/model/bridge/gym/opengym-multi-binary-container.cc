// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-multi-binary-container.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiBinaryContainer);

TypeId
OpenGymMultiBinaryContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiBinaryContainer")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymMultiBinaryContainer>();
    return tid;
}

OpenGymMultiBinaryContainer::OpenGymMultiBinaryContainer(std::vector<uint32_t> shape)
    : OpenGymTensorData<int8_t, OpenGymTensorContainer>(std::move(shape))
{
}

Ptr<OpenGymDataContainer>
OpenGymMultiBinaryContainer::Copy() const
{
    return CopyObject(Ptr<const OpenGymMultiBinaryContainer>(this));
}

bool
OpenGymMultiBinaryContainer::IsAllowed(int8_t value) const
{
    return value == 0 || value == 1;
}

bool
OpenGymMultiBinaryContainer::AreAllowed(const std::vector<int8_t>& values) const
{
    return std::all_of(values.begin(), values.end(), [this](int8_t value) {
        return IsAllowed(value);
    });
}

} // namespace ns3
