// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-box-space.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymBoxSpace);

namespace
{

/**
 * @tparam T Element type.
 * @param value Any number but NaN.
 * @return the nearest number of the element type
 */
template <typename T>
T
NearestElement(double value)
{
    NS_ABORT_MSG_IF(std::isnan(value), "NaN is neither an element nor a bound of a box");
    if constexpr (std::is_floating_point_v<T>)
    {
        return static_cast<T>(value);
    }
    else
    {
        using Limits = std::numeric_limits<T>;
        const double rounded = std::round(value);
        // The largest 64-bit integers round up as double, hence no ">".
        if (rounded >= static_cast<double>(Limits::max()))
        {
            return Limits::max();
        }
        return rounded <= static_cast<double>(Limits::lowest()) ? Limits::lowest()
                                                                : static_cast<T>(rounded);
    }
}

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

TypeId
OpenGymBoxSpace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymBoxSpace").SetParent<OpenGymTensorSpace>().SetGroupName("defiance");
    return tid;
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

OpenGymBoxSpace::OpenGymBoxSpace(Ptr<const OpenGymBoxContainerBase> low,
                                 Ptr<const OpenGymBoxContainerBase> high,
                                 std::vector<uint32_t> shape)
    : OpenGymTensorSpace(std::move(shape)),
      m_low(low),
      m_high(high)
{
    CheckBounds();
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
OpenGymBoxSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    return VisitDtype(GetDtype(), [&](auto type) -> Ptr<OpenGymDataContainer> {
        using T = typename decltype(type)::type;
        const Bounds<T> bounds(*this);
        auto box = CreateObject<OpenGymBoxContainer<T>>(GetShape());
        for (std::size_t i = 0; i < GetFlatSize(); ++i)
        {
            const T low = bounds.Low(i);
            const T high = bounds.High(i);
            if constexpr (std::is_floating_point_v<T>)
            {
                // Rounding to float must not leave the bounds.
                box->AddValue(std::clamp(static_cast<T>(SampleReal(random, low, high)), low, high));
            }
            else
            {
                const auto width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
                box->AddValue(
                    static_cast<T>(static_cast<uint64_t>(low) + SampleUpTo(random, width)));
            }
        }
        return box;
    });
}

Ptr<OpenGymDataContainer>
OpenGymBoxSpace::Constant(double value) const
{
    return VisitDtype(GetDtype(), [&](auto type) -> Ptr<OpenGymDataContainer> {
        using T = typename decltype(type)::type;
        const Bounds<T> bounds(*this);
        const T element = NearestElement<T>(value);
        auto box = CreateObject<OpenGymBoxContainer<T>>(GetShape());
        for (std::size_t i = 0; i < GetFlatSize(); ++i)
        {
            box->AddValue(std::clamp(element, bounds.Low(i), bounds.High(i)));
        }
        return box;
    });
}

} // namespace ns3
