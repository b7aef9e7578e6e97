// SPDX-License-Identifier: GPL-2.0-only

#include "stable-storage.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StableStorage);

TypeId
StableStorage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StableStorage").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

} // namespace ns3
