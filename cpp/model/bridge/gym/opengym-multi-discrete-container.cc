// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-multi-discrete-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiDiscreteContainer);

TypeId
OpenGymMultiDiscreteContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiDiscreteContainer")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymMultiDiscreteContainer>();
    return tid;
}

OpenGymMultiDiscreteContainer::OpenGymMultiDiscreteContainer(std::vector<uint32_t> shape)
    : OpenGymTensorData<int64_t, OpenGymTensorContainer>(std::move(shape))
{
}

Ptr<OpenGymDataContainer>
OpenGymMultiDiscreteContainer::Copy() const
{
    return CopyObject(Ptr<const OpenGymMultiDiscreteContainer>(this));
}

} // namespace ns3
