// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tensor-space.h"

#include "ns3/abort.h"
#include "ns3/object-type.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ns3
{

DEFIANCE_OBJECT(OpenGymTensorSpace, OpenGymSpace);
DEFIANCE_OBJECT(OpenGymMultiDiscreteSpace, OpenGymTensorSpace);
DEFIANCE_OBJECT(OpenGymMultiBinarySpace, OpenGymTensorSpace);
DEFIANCE_OBJECT(OpenGymBoxSpace, OpenGymTensorSpace);

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
OpenGymMultiDiscreteSpace::Make(const Choice& choice) const
{
    auto array = CreateObject<OpenGymMultiDiscreteContainer>(GetShape());
    for (std::size_t i = 0; i < m_nvec->GetSize(); ++i)
    {
        array->AddValue(choice.Pick(m_start->GetValue(i), GetLargest(i)));
    }
    return array;
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
OpenGymMultiBinarySpace::Make(const Choice& choice) const
{
    auto array = CreateObject<OpenGymMultiBinaryContainer>(GetShape());
    for (std::size_t i = 0; i < GetFlatSize(); ++i)
    {
        array->AddValue(choice.Pick<int8_t>(0, 1));
    }
    return array;
}

namespace
{

/**
 * @tparam T Element type.
 * @tparam Number Type of an integer.
 * @param number An integer.
 * @return the nearest number of the element type
 */
template <typename T, typename Number>
T
NearestElementOf(Number number)
{
    if constexpr (std::is_floating_point_v<T> || std::is_floating_point_v<Number>)
    {
        return NearestElement<T>(static_cast<double>(number));
    }
    else
    {
        using Limits = std::numeric_limits<T>;
        if (std::cmp_less(number, Limits::lowest()))
        {
            return Limits::lowest();
        }
        return std::cmp_greater(number, Limits::max()) ? Limits::max() : static_cast<T>(number);
    }
}

} // namespace

/**
 * @brief Bounds of one element type.
 * @tparam T Element type.
 */
template <typename T>
struct OpenGymBoxSpace::Bounds
{
    const std::vector<T>& low;  //!< Lower bound of all elements, or of each
    const std::vector<T>& high; //!< Upper bound of all elements, or of each

    /**
     * @param space A space of this element type.
     */
    explicit Bounds(const OpenGymBoxSpace& space)
        : low(GetData(*space.m_low)),
          high(GetData(*space.m_high))
    {
    }

    /**
     * @param bounds Bounds of this element type.
     * @return the elements of the bounds
     */
    static const std::vector<T>& GetData(const OpenGymBoxContainerBase& bounds)
    {
        return static_cast<const OpenGymBoxContainer<T>&>(bounds).GetData();
    }

    /**
     * @param index Position of an element.
     * @return the lower bound of the element
     */
    T Low(std::size_t index) const
    {
        return low.size() == 1 ? low[0] : low[index];
    }

    /**
     * @param index Position of an element.
     * @return the upper bound of the element
     */
    T High(std::size_t index) const
    {
        return high.size() == 1 ? high[0] : high[index];
    }
};

template <typename T>
std::string
OpenGymBoxSpace::FindBoundsFault(const std::vector<T>& data) const
{
    const Bounds<T> bounds(*this);
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        // Written so that NaN fails, too.
        if (!(data[i] >= bounds.Low(i) && data[i] <= bounds.High(i)))
        {
            return DescribeElement(i, data[i], bounds.Low(i), bounds.High(i));
        }
    }
    return "";
}

Ptr<const OpenGymBoxContainerBase>
OpenGymBoxSpace::MakeBounds(const std::vector<Number>& bounds, Side side, const std::string& dtype)
{
    return VisitDtype(ParseDtype(dtype), [&](auto type) -> Ptr<const OpenGymBoxContainerBase> {
        using T = typename decltype(type)::type;
        auto container = MakeEmptyContainer<OpenGymBoxContainer<T>>();
        for (const auto& bound : bounds)
        {
            container->AddValue(std::visit(
                [side](auto number) {
                    if constexpr (std::is_integral_v<T> &&
                                  std::is_floating_point_v<decltype(number)>)
                    {
                        number = side == Side::LOW ? std::ceil(number) : std::floor(number);
                    }
                    return NearestElementOf<T>(number);
                },
                bound));
        }
        return container;
    });
}

void
OpenGymBoxSpace::CheckBounds() const
{
    NS_ABORT_MSG_IF(!m_low || !m_high, "A box space has no bounds");
    NS_ABORT_MSG_IF(m_low->GetDtype() != m_high->GetDtype(),
                    "A box space has lower bounds of " << GetDtypeName(m_low->GetDtype())
                                                       << " and upper bounds of "
                                                       << GetDtypeName(m_high->GetDtype()));
    for (const auto& bounds : {m_low, m_high})
    {
        NS_ABORT_MSG_IF(bounds->GetSize() != 1 && bounds->GetSize() != GetFlatSize(),
                        "A box space of " << GetFlatSize() << " elements was given "
                                          << bounds->GetSize()
                                          << " bounds; give one, or one per element");
    }
    VisitDtype(GetDtype(), [this](auto type) {
        const Bounds<typename decltype(type)::type> bounds(*this);
        for (std::size_t i = 0; i < std::max(bounds.low.size(), bounds.high.size()); ++i)
        {
            // Written so that NaN fails, too.
            NS_ABORT_MSG_IF(!(bounds.Low(i) <= bounds.High(i)),
                            "Element " << i << " of a box space has lower bound " << +bounds.Low(i)
                                       << " and upper bound " << +bounds.High(i));
        }
    });
}

void
OpenGymBoxSpace::Print(std::ostream& where) const
{
    where << "Box(" << m_low << ", " << m_high << ", " << FormatShape(GetShape()) << ", "
          << GetDtypeName(GetDtype()) << ")";
}

std::string
OpenGymBoxSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    return VisitDtype(GetDtype(), [&](auto type) -> std::string {
        using T = typename decltype(type)::type;
        const auto* box = CastTo<OpenGymBoxContainer<T>>(value);
        if (!box)
        {
            const auto* other = dynamic_cast<const OpenGymBoxContainerBase*>(value);
            return other ? FindFormFault(*other, GetDtype()) : DescribeKind(value, "a box");
        }
        auto fault = FindFormFault(*box, GetDtype());
        return fault.empty() && checkBounds ? FindBoundsFault(box->GetData()) : fault;
    });
}

Ptr<OpenGymDataContainer>
OpenGymBoxSpace::Make(const Choice& choice) const
{
    return VisitDtype(GetDtype(), [&](auto type) -> Ptr<OpenGymDataContainer> {
        using T = typename decltype(type)::type;
        const Bounds<T> bounds(*this);
        auto box = CreateObject<OpenGymBoxContainer<T>>(GetShape());
        for (std::size_t i = 0; i < GetFlatSize(); ++i)
        {
            box->AddValue(choice.Pick(bounds.Low(i), bounds.High(i)));
        }
        return box;
    });
}

OpenGymMultiDiscreteSpace::OpenGymMultiDiscreteSpace(const std::vector<int64_t>& nvec,
                                                     const std::vector<int64_t>& start)
    : OpenGymMultiDiscreteSpace(
          MakeArray(nvec),
          MakeArray(start.empty() ? std::vector<int64_t>(nvec.size(), 0) : start))
{
}

} // namespace ns3
