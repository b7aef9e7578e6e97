// SPDX-License-Identifier: GPL-2.0-only

#include "stable-storage.h"

#include "ns3/object-type.h"

namespace ns3
{

DEFIANCE_OBJECT(StableStorage, Object);

void
StableStorage::BeforeWrite()
{
    if (m_observer)
    {
        m_observer();
    }
}

} // namespace ns3
