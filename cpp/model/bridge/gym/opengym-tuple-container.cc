// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tuple-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTupleContainer);

TypeId
OpenGymTupleContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymTupleContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymTupleContainer>();
    return tid;
}

bool
OpenGymTupleContainer::Add(Ptr<OpenGymDataContainer> element)
{
    if (!element)
    {
        return false;
    }
    m_elements.push_back(element);
    return true;
}

Ptr<OpenGymDataContainer>
OpenGymTupleContainer::Get(uint32_t index) const
{
    return index < m_elements.size() ? m_elements[index] : nullptr;
}

uint32_t
OpenGymTupleContainer::GetSize() const
{
    return static_cast<uint32_t>(m_elements.size());
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
    const char* separator = "";
    where << "(";
    for (const auto& element : m_elements)
    {
        where << separator << element;
        separator = ", ";
    }
    where << ")";
}

} // namespace ns3
