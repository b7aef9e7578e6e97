// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-text-container.h"

#include "ns3/abort.h"
#include "ns3/opengym-utf8.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTextContainer);

TypeId
OpenGymTextContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymTextContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymTextContainer>();
    return tid;
}

OpenGymTextContainer::OpenGymTextContainer(std::string value)
{
    NS_ABORT_MSG_IF(!SetValue(std::move(value)), "The text of a container is not UTF-8");
}

bool
OpenGymTextContainer::SetValue(std::string value)
{
    if (!IsUtf8(value))
    {
        return false;
    }
    m_value = std::move(value);
    return true;
}

const std::string&
OpenGymTextContainer::GetValue() const
{
    return m_value;
}

Ptr<OpenGymDataContainer>
OpenGymTextContainer::Copy() const
{
    return CopyObject(Ptr<const OpenGymTextContainer>(this));
}

void
OpenGymTextContainer::Print(std::ostream& where) const
{
    where << '"' << m_value << '"';
}

} // namespace ns3
