// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-multi-binary-space.h"

#include "ns3/abort.h"
#include "ns3/opengym-multi-binary-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiBinarySpace);

TypeId
OpenGymMultiBinarySpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiBinarySpace")
                            .SetParent<OpenGymTensorSpace>()
                            .SetGroupName("defiance");
    return tid;
}

OpenGymMultiBinarySpace::OpenGymMultiBinarySpace(std::vector<uint32_t> shape)
    : m_shape(std::move(shape))
{
    const auto size = GetElementCount(m_shape);
    NS_ABORT_MSG_IF(!size, "The shape of a multi-binary space has too many elements");
    m_size = *size;
}

const std::vector<uint32_t>&
OpenGymMultiBinarySpace::GetShape() const
{
    return m_shape;
}

void
OpenGymMultiBinarySpace::Print(std::ostream& where) const
{
    where << "MultiBinary((";
    for (const auto length : m_shape)
    {
        where << length << ",";
    }
    where << "))";
}

std::string
OpenGymMultiBinarySpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    // Its container accepts only zeros and ones.
    const auto* array = CastTo<OpenGymMultiBinaryContainer>(value);
    return array ? FindFormFault(*array, OpenGymDtype::INT8)
                 : DescribeKind(value, "a multi-binary value");
}

std::size_t
OpenGymMultiBinarySpace::GetFlatSize() const
{
    return m_size;
}

Ptr<OpenGymDataContainer>
OpenGymMultiBinarySpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto array = CreateObject<OpenGymMultiBinaryContainer>(m_shape);
    for (std::size_t i = 0; i < m_size; ++i)
    {
        array->AddValue(static_cast<int8_t>(SampleInteger(random, 0, 1)));
    }
    return array;
}

Ptr<OpenGymDataContainer>
OpenGymMultiBinarySpace::Constant(double value) const
{
    auto array = CreateObject<OpenGymMultiBinaryContainer>(m_shape);
    array->SetData(std::vector<int8_t>(m_size, static_cast<int8_t>(NearestInteger(value, 0, 1))));
    return array;
}

} // namespace ns3
