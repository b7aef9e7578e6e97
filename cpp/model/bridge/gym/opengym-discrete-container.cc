// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-discrete-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDiscreteContainer);

TypeId
OpenGymDiscreteContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymDiscreteContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymDiscreteContainer>();
    return tid;
}

OpenGymDiscreteContainer::OpenGymDiscreteContainer(uint32_t n)
    : m_n(n)
{
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

int64_t
OpenGymDiscreteContainer::GetValue() const
{
    return m_value;
}

Ptr<OpenGymDataContainer>
OpenGymDiscreteContainer::Copy() const
{
    return CopyObject(Ptr<const OpenGymDiscreteContainer>(this));
}

void
OpenGymDiscreteContainer::Print(std::ostream& where) const
{
    where << m_value;
}

} // namespace ns3
