// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-env.h"

#include "ns3/abort.h"
#include "ns3/object-factory.h"
#include "ns3/object-type.h"
#include "ns3/string.h"

namespace ns3
{

DEFIANCE_OBJECT(OpenGymEnv, Object);

void
OpenGymEnv::DoDispose()
{
    m_openGymInterface = nullptr;
    Object::DoDispose();
}

void
OpenGymEnv::SetOpenGymInterface(Ptr<OpenGymInterface> interface)
{
    m_openGymInterface = interface;
    interface->SetEnv(this);
}

void
OpenGymEnv::SetAgentName(const std::string& name)
{
    NS_ABORT_MSG_IF(m_openGymInterface,
                    "An environment cannot be named '"
                        << name << "' after it has become an agent: call SetAgentName() first");
    SetOpenGymInterface(
        CreateObjectWithAttributes<OpenGymInterface>("AgentName", StringValue(name)));
}

Ptr<OpenGymInterface>
OpenGymEnv::GetInterface()
{
    if (!m_openGymInterface)
    {
        SetOpenGymInterface(OpenGymInterface::Get());
    }
    return m_openGymInterface;
}

} // namespace ns3
