// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-data-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDataContainer);

TypeId
OpenGymDataContainer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymDataContainer").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

} // namespace ns3
