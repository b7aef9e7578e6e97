// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application-container.h"

#include "ns3/abort.h"

namespace ns3
{

void
RlApplicationContainer::Add(Ptr<RlApplication> application)
{
    NS_ABORT_MSG_IF(!application, "An RlApplicationContainer cannot hold null");
    m_applications.push_back(application);
}

void
RlApplicationContainer::Add(const RlApplicationContainer& other)
{
    const auto added = other.m_applications;
    m_applications.insert(m_applications.end(), added.begin(), added.end());
}

Ptr<RlApplication>
RlApplicationContainer::Get(uint32_t i) const
{
    NS_ABORT_MSG_IF(i >= m_applications.size(),
                    "There is no application " << i << " in a container of "
                                               << m_applications.size());
    return m_applications[i];
}

RlApplicationId
RlApplicationContainer::GetId(uint32_t i) const
{
    return Get(i)->GetId();
}

void
RlApplicationContainer::Start(Time start) const
{
    for (const auto& application : m_applications)
    {
        application->SetStartTime(start);
    }
}

void
RlApplicationContainer::Stop(Time stop) const
{
    for (const auto& application : m_applications)
    {
        application->SetStopTime(stop);
    }
}

} // namespace ns3
