// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-containers.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDiscreteContainer);
NS_OBJECT_ENSURE_REGISTERED(OpenGymTextContainer);
NS_OBJECT_ENSURE_REGISTERED(OpenGymTupleContainer);
NS_OBJECT_ENSURE_REGISTERED(OpenGymDictContainer);

TypeId
OpenGymDiscreteContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymDiscreteContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymDiscreteContainer>();
    return tid;
}

bool
OpenGymDiscreteContainer::SetValue(int64_t value)
{
    if (m_n > 0 && (value < 0 || value >= m_n))
    {
        return false;
    }
    m_value = value;
    return true;
}

void
OpenGymDiscreteContainer::Print(std::ostream& where) const
{
    where << m_value;
}

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

void
OpenGymTextContainer::Print(std::ostream& where) const
{
    where << '"' << m_value << '"';
}

TypeId
OpenGymTupleContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymTupleContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymTupleContainer>();
    return tid;
}

Ptr<OpenGymDataContainer>
OpenGymTupleContainer::Copy() const
{
    auto copy = CopyObject(Ptr<const OpenGymTupleContainer>(this));
    for (auto& element : copy->m_elements)
    {
        element = element->Copy();
    }
    return copy;
}

void
OpenGymTupleContainer::Print(std::ostream& where) const
{
    PrintElements(where, "(");
}

TypeId
OpenGymDictContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymDictContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymDictContainer>();
    return tid;
}

Ptr<OpenGymDataContainer>
OpenGymDictContainer::Copy() const
{
    auto copy = CopyObject(Ptr<const OpenGymDictContainer>(this));
    for (auto& [key, value] : copy->m_entries)
    {
        value = value->Copy();
    }
    return copy;
}

void
OpenGymDictContainer::Print(std::ostream& where) const
{
    PrintEntries(where, "{", "}");
}

} // namespace ns3
