// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-multi-discrete-space.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiDiscreteSpace);

namespace
{

/**
 * @param values Elements of an array of one axis.
 * @return the array
 */
Ptr<const OpenGymMultiDiscreteContainer>
MakeArray(const std::vector<int64_t>& values)
{
    auto array = MakeEmptyContainer<OpenGymMultiDiscreteContainer>();
    array->SetData(values);
    return array;
}

} // namespace

TypeId
OpenGymMultiDiscreteSpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiDiscreteSpace")
                            .SetParent<OpenGymTensorSpace>()
                            .SetGroupName("defiance");
    return tid;
}

OpenGymMultiDiscreteSpace::OpenGymMultiDiscreteSpace(const std::vector<int64_t>& nvec,
                                                     const std::vector<int64_t>& start)
    : OpenGymMultiDiscreteSpace(
          MakeArray(nvec),
          MakeArray(start.empty() ? std::vector<int64_t>(nvec.size(), 0) : start))
{
}

OpenGymMultiDiscreteSpace::OpenGymMultiDiscreteSpace(Ptr<const OpenGymMultiDiscreteContainer> nvec,
                                                     Ptr<const OpenGymMultiDiscreteContainer> start)
    : m_nvec(nvec),
      m_start(start)
{
    Check();
}

void
OpenGymMultiDiscreteSpace::Check() const
{
    NS_ABORT_MSG_IF(!m_nvec || !m_start || !m_nvec->IsComplete() || !m_start->IsComplete(),
                    "A multi-discrete space needs nvec and start, each of them filled");
    NS_ABORT_MSG_IF(m_nvec->GetShape() != m_start->GetShape(),
                    "nvec and start of a multi-discrete space differ in shape");
    for (std::size_t i = 0; i < m_nvec->GetSize(); ++i)
    {
        const auto n = m_nvec->GetValue(i);
        NS_ABORT_MSG_IF(n <= 0,
                        "Element " << i << " of a multi-discrete space holds at least one integer,"
                                   << " not " << n);
        NS_ABORT_MSG_IF(m_start->GetValue(i) > std::numeric_limits<int64_t>::max() - (n - 1),
                        "Element " << i << " of a multi-discrete space exceeds 64 bits");
    }
}

int64_t
OpenGymMultiDiscreteSpace::GetLargest(std::size_t index) const
{
    return m_start->GetValue(index) + (m_nvec->GetValue(index) - 1);
}

const std::vector<uint32_t>&
OpenGymMultiDiscreteSpace::GetShape() const
{
    return m_nvec->GetShape();
}

Ptr<const OpenGymMultiDiscreteContainer>
OpenGymMultiDiscreteSpace::GetNvec() const
{
    return m_nvec;
}

Ptr<const OpenGymMultiDiscreteContainer>
OpenGymMultiDiscreteSpace::GetStart() const
{
    return m_start;
}

void
OpenGymMultiDiscreteSpace::Print(std::ostream& where) const
{
    where << "MultiDiscrete(" << m_nvec << ", start=" << m_start << ")";
}

std::string
OpenGymMultiDiscreteSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* array = CastTo<OpenGymMultiDiscreteContainer>(value);
    if (!array)
    {
        return DescribeKind(value, "a multi-discrete value");
    }
    if (const auto fault = FindFormFault(*array, OpenGymDtype::INT64); !fault.empty())
    {
        return fault;
    }
    const auto& numbers = array->GetData();
    for (std::size_t i = 0; checkBounds && i < numbers.size(); ++i)
    {
        if (numbers[i] < m_start->GetValue(i) || numbers[i] > GetLargest(i))
        {
            return DescribeElement(i, numbers[i], m_start->GetValue(i), GetLargest(i));
        }
    }
    return "";
}

std::size_t
OpenGymMultiDiscreteSpace::GetFlatSize() const
{
    return m_nvec->GetSize();
}

Ptr<OpenGymDataContainer>
OpenGymMultiDiscreteSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto array = CreateObject<OpenGymMultiDiscreteContainer>(GetShape());
    for (std::size_t i = 0; i < m_nvec->GetSize(); ++i)
    {
        array->AddValue(SampleInteger(random, m_start->GetValue(i), GetLargest(i)));
    }
    return array;
}

Ptr<OpenGymDataContainer>
OpenGymMultiDiscreteSpace::Constant(double value) const
{
    auto array = CreateObject<OpenGymMultiDiscreteContainer>(GetShape());
    for (std::size_t i = 0; i < m_nvec->GetSize(); ++i)
    {
        array->AddValue(NearestInteger(value, m_start->GetValue(i), GetLargest(i)));
    }
    return array;
}

} // namespace ns3
