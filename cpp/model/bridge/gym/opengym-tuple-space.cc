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

std::string
OpenGymTupleSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* tuple = CastTo<OpenGymTupleContainer>(value);
    if (!tuple)
    {
        return DescribeKind(value, "a tuple");
    }
    if (tuple->GetSize() != GetSize())
    {
        return "has " + std::to_string(tuple->GetSize()) + " elements, but must have " +
               std::to_string(GetSize());
    }
    for (uint32_t i = 0; i < GetSize(); ++i)
    {
        const auto element = tuple->Get(i);
        if (const auto fault = m_elements[i]->FindFault(PeekPointer(element), checkBounds);
            !fault.empty())
        {
            return "item " + std::to_string(i) + " " + fault;
        }
    }
    return "";
}

std::size_t
OpenGymTupleSpace::GetFlatSize() const
{
    std::size_t size = 0;
    for (const auto& element : m_elements)
    {
        size += element->GetFlatSize();
    }
    return size;
}

Ptr<OpenGymDataContainer>
OpenGymTupleSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    for (const auto& element : m_elements)
    {
        tuple->Add(element->Sample(random));
    }
    return tuple;
}

Ptr<OpenGymDataContainer>
OpenGymTupleSpace::Constant(double value) const
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    for (const auto& element : m_elements)
    {
        tuple->Add(element->Constant(value));
    }
    return tuple;
}

} // namespace ns3
