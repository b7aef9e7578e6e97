// SPDX-License-Identifier: GPL-2.0-only

#include "stable-storage.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StableStorage);

TypeId
StableStorage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StableStorage").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

void
StableStorage::SetObserver(std::function<void()> observer)
{
    m_observer = std::move(observer);
}

void
StableStorage::BeforeWrite()
{
    if (m_observer)
    {
        m_observer();
    }
}

} // namespace ns3
