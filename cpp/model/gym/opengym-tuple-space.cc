// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tuple-space.h"

#include "ns3/opengym-tuple-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTupleSpace);

TypeId
OpenGymTupleSpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymTupleSpace")
                            .SetParent<OpenGymSpace>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymTupleSpace>();
    return tid;
}

bool
OpenGymTupleSpace::Add(Ptr<OpenGymSpace> element)
{
    if (!element)
    {
        return false;
    }
    m_elements.push_back(element);
    return true;
}

Ptr<OpenGymSpace>
OpenGymTupleSpace::Get(uint32_t index) const
{
    return index < m_elements.size() ? m_elements[index] : nullptr;
}

uint32_t
OpenGymTupleSpace::GetSize() const
{
    return static_cast<uint32_t>(m_elements.size());
}

void
OpenGymTupleSpace::Print(std::ostream& where) const
{
    const char* separator = "";
    where << "Tuple(";
    for (const auto& element : m_elements)
    {
        where << separator << element;
        separator = ", ";
    }
    where << ")";
}

bool
OpenGymTupleSpace::Contains(Ptr<const OpenGymDataContainer> value) const
{
    const auto tuple = DynamicCast<const OpenGymTupleContainer>(value);
    if (!tuple || tuple->GetSize() != GetSize())
    {
        return false;
    }
    for (uint32_t i = 0; i < GetSize(); ++i)
    {
        if (!m_elements[i]->Contains(tuple->Get(i)))
        {
            return false;
        }
    }
    return true;
}

Ptr<OpenGymDataContainer>
OpenGymTupleSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto tuple = CreateObject<OpenGymTupleContainer>();
    for (const auto& element : m_elements)
    {
        tuple->Add(element->Sample(random));
    }
    return tuple;
}

Ptr<OpenGymDataContainer>
OpenGymTupleSpace::Constant(double value) const
{
    auto tuple = CreateObject<OpenGymTupleContainer>();
    for (const auto& element : m_elements)
    {
        tuple->Add(element->Constant(value));
    }
    return tuple;
}

} // namespace ns3
