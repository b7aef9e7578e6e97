// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tensor-space.h"

#include "ns3/abort.h"

#include <limits>
#include <set>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTensorSpace);
NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiDiscreteSpace);
NS_OBJECT_ENSURE_REGISTERED(OpenGymMultiBinarySpace);

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
OpenGymTensorSpace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymTensorSpace").SetParent<OpenGymSpace>().SetGroupName("defiance");
    return tid;
}

OpenGymTensorSpace::OpenGymTensorSpace(std::vector<uint32_t> shape)
    : m_shape(std::move(shape))
{
    const auto size = GetElementCount(m_shape);
    NS_ABORT_MSG_IF(!size, "The shape of a space has too many elements");
    m_size = *size;
}

void
OpenGymTensorSpace::SetElementNames(std::vector<std::string> names)
{
    NS_ABORT_MSG_IF(names.size() != GetFlatSize(),
                    "A space of " << GetFlatSize() << " elements was given " << names.size()
                                  << " names");
    std::set<std::string> different;
    for (const auto& name : names)
    {
        NS_ABORT_MSG_IF(name.empty() || !IsUtf8(name),
                        "The name '" << name << "' of an element is empty, or not UTF-8");
        NS_ABORT_MSG_IF(!different.insert(name).second, "Two elements are called '" << name << "'");
    }
    m_elementNames = std::move(names);
}

std::string
OpenGymTensorSpace::FindFormFault(const OpenGymTensorContainer& array, OpenGymDtype dtype) const
{
    if (array.GetDtype() == dtype && array.GetShape() == m_shape && array.GetSize() == m_size &&
        !array.HasRefused())
    {
        return "";
    }
    std::ostringstream text;
    if (array.GetDtype() != dtype)
    {
        text << "has element type " << GetDtypeName(array.GetDtype()) << ", but must have "
             << GetDtypeName(dtype);
    }
    else if (array.GetShape() != m_shape)
    {
        text << "has shape " << FormatShape(array.GetShape()) << ", but must have "
             << FormatShape(m_shape);
    }
    else if (array.HasRefused())
    {
        text << "received elements that its shape " << FormatShape(m_shape)
             << " has no room for, or that are not allowed";
    }
    else
    {
        text << "holds " << array.GetSize() << " elements of its shape " << FormatShape(m_shape);
    }
    return text.str();
}

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
    : OpenGymTensorSpace(nvec ? nvec->GetShape() : std::vector<uint32_t>{}),
      m_nvec(nvec),
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

TypeId
OpenGymMultiBinarySpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymMultiBinarySpace")
                            .SetParent<OpenGymTensorSpace>()
                            .SetGroupName("defiance");
    return tid;
}

void
OpenGymMultiBinarySpace::Print(std::ostream& where) const
{
    where << "MultiBinary(" << FormatShape(GetShape()) << ")";
}

std::string
OpenGymMultiBinarySpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    // Its container accepts only zeros and ones.
    const auto* array = CastTo<OpenGymMultiBinaryContainer>(value);
    return array ? FindFormFault(*array, OpenGymDtype::INT8)
                 : DescribeKind(value, "a multi-binary value");
}

Ptr<OpenGymDataContainer>
OpenGymMultiBinarySpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto array = CreateObject<OpenGymMultiBinaryContainer>(GetShape());
    for (std::size_t i = 0; i < GetFlatSize(); ++i)
    {
        array->AddValue(static_cast<int8_t>(SampleInteger(random, 0, 1)));
    }
    return array;
}

Ptr<OpenGymDataContainer>
OpenGymMultiBinarySpace::Constant(double value) const
{
    auto array = CreateObject<OpenGymMultiBinaryContainer>(GetShape());
    array->SetData(
        std::vector<int8_t>(GetFlatSize(), static_cast<int8_t>(NearestInteger(value, 0, 1))));
    return array;
}

} // namespace ns3
