// SPDX-License-Identifier: GPL-2.0-only

#include "communication-session.h"

#include "ns3/simulator.h"

namespace ns3
{

namespace
{

std::unique_ptr<CommunicationSession> g_session; //!< Session of this simulation

} // namespace

CommunicationSession&
CommunicationSession::Get()
{
    if (!g_session)
    {
        g_session = std::make_unique<CommunicationSession>();
        Simulator::ScheduleDestroy([] { g_session.reset(); });
    }
    return *g_session;
}

void
CommunicationSession::Note(Ptr<RlApplication> application)
{
    m_applications.push_back(application);
    if (m_hasBeenConfigured && !m_configureEvent.IsPending())
    {
        // After the connections of this event, and before the applications start.
        m_configureEvent = Simulator::ScheduleNow(&CommunicationSession::Configure, this);
    }
}

void
CommunicationSession::Configure()
{
    for (const auto& application : m_applications)
    {
        m_helper.Add(RlApplicationContainer(application));
    }
    if (!m_applications.empty())
    {
        m_helper.Configure();
    }
    m_applications.clear();
    m_hasBeenConfigured = true;
}

} // namespace ns3
