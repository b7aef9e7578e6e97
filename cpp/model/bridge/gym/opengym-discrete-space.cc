// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-discrete-space.h"

#include "ns3/abort.h"
#include "ns3/opengym-discrete-container.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDiscreteSpace);

TypeId
OpenGymDiscreteSpace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymDiscreteSpace").SetParent<OpenGymSpace>().SetGroupName("defiance");
    return tid;
}

OpenGymDiscreteSpace::OpenGymDiscreteSpace(int64_t n, int64_t start)
    : m_n(n),
      m_start(start)
{
    NS_ABORT_MSG_IF(n <= 0, "A discrete space holds at least one integer, not " << n);
    NS_ABORT_MSG_IF(start > std::numeric_limits<int64_t>::max() - (n - 1),
                    "A discrete space of " << n << " integers from " << start
                                           << " exceeds 64 bits");
}

int64_t
OpenGymDiscreteSpace::GetN() const
{
    return m_n;
}

int64_t
OpenGymDiscreteSpace::GetStart() const
{
    return m_start;
}

void
OpenGymDiscreteSpace::Print(std::ostream& where) const
{
    where << "Discrete(" << m_n << ", start=" << m_start << ")";
}

std::string
OpenGymDiscreteSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* discrete = CastTo<OpenGymDiscreteContainer>(value);
    if (!discrete)
    {
        return DescribeKind(value, "a discrete value");
    }
    const auto number = discrete->GetValue();
    if (!checkBounds || (number >= m_start && number <= m_start + (m_n - 1)))
    {
        return "";
    }
    return "is " + std::to_string(number) + ", but must be from " + std::to_string(m_start) +
           " to " + std::to_string(m_start + (m_n - 1));
}

std::size_t
OpenGymDiscreteSpace::GetFlatSize() const
{
    return 1;
}

Ptr<OpenGymDataContainer>
OpenGymDiscreteSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto discrete = MakeEmptyContainer<OpenGymDiscreteContainer>();
    discrete->SetValue(SampleInteger(random, m_start, m_start + (m_n - 1)));
    return discrete;
}

Ptr<OpenGymDataContainer>
OpenGymDiscreteSpace::Constant(double value) const
{
    auto discrete = MakeEmptyContainer<OpenGymDiscreteContainer>();
    discrete->SetValue(NearestInteger(value, m_start, m_start + (m_n - 1)));
    return discrete;
}

} // namespace ns3
