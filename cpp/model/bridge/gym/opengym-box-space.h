// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_BOX_SPACE_H
#define OPENGYM_BOX_SPACE_H

#include "ns3/opengym-tensor-space.h"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Arrays of one shape and element type, each element with its own bounds.
 *
 * Bounds are inclusive and of the element type. Floating-point bounds may be infinite.
 */
class OpenGymBoxSpace : public OpenGymTensorSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Give all elements the same bounds. Integers of all types are exact. Bounds beyond the range
     * of an integer type become its limits; fractions are rounded into the box.
     *
     * @tparam L Type of a number.
     * @tparam H Type of a number.
     * @param low Lower bound.
     * @param high Upper bound.
     * @param shape Lengths of the axes; none: a scalar.
     * @param dtype Name of the element type, as ParseDtype() takes it.
     */
    template <typename L, typename H>

    requires std::is_arithmetic_v<L> && std::is_arithmetic_v<H> OpenGymBoxSpace(
        L low,
        H high,
        std::vector<uint32_t> shape,
        const std::string& dtype)
        : OpenGymBoxSpace(std::vector<L>{low}, std::vector<H>{high}, std::move(shape), dtype)
    {
    }

    /**
     * Give each element its own bounds, as the constructor above does.
     *
     * @tparam L Type of numbers.
     * @tparam H Type of numbers.
     * @param low Lower bound of each element.
     * @param high Upper bound of each element.
     * @param shape Lengths of the axes; none: a scalar.
     * @param dtype Name of the element type, as ParseDtype() takes it.
     */
    template <typename L = float, typename H = float>

    requires std::is_arithmetic_v<L> && std::is_arithmetic_v<H> OpenGymBoxSpace(
        const std::vector<L>& low,
        const std::vector<H>& high,
        std::vector<uint32_t> shape,
        const std::string& dtype)
        : OpenGymBoxSpace(MakeBounds(ToNumbers(low), Side::LOW, dtype),
                          MakeBounds(ToNumbers(high), Side::HIGH, dtype),
                          std::move(shape))
    {
    }

    /**
     * Use the element type and the exact bounds of two containers, each with one element for all or
     * one per element.
     *
     * @param low Lower bounds.
     * @param high Upper bounds, of the same type.
     * @param shape Lengths of the axes; none: a scalar.
     */
    OpenGymBoxSpace(Ptr<const OpenGymBoxContainerBase> low,
                    Ptr<const OpenGymBoxContainerBase> high,
                    std::vector<uint32_t> shape);

    /**
     * Make a space with exact bounds.
     *
     * @tparam T Element type.
     * @param low Lower bounds: one for all, or one per element.
     * @param high Upper bounds: one for all, or one per element.
     * @param shape Lengths of the axes; none: a scalar.
     * @return the space
     */
    template <typename T>
    static Ptr<OpenGymBoxSpace> Create(std::vector<T> low,
                                       std::vector<T> high,
                                       std::vector<uint32_t> shape);

    /**
     * @return the element type
     */
    OpenGymDtype GetDtype() const
    {
        return m_low->GetDtype();
    }

    /**
     * @return the lower bounds: one for all elements, or one per element
     */
    Ptr<const OpenGymBoxContainerBase> GetLow() const
    {
        return m_low;
    }

    /**
     * @return the upper bounds: one for all elements, or one per element
     */
    Ptr<const OpenGymBoxContainerBase> GetHigh() const
    {
        return m_high;
    }

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    using Number = std::variant<int64_t, uint64_t, double>; //!< Exact number of any type

    /** The given bounds. */
    enum class Side
    {
        LOW,
        HIGH,
    };

    /**
     * @tparam T Type of numbers.
     * @param values Numbers.
     * @return the same numbers
     */
    template <typename T>
    static std::vector<Number> ToNumbers(const std::vector<T>& values)
    {
        using Wide = std::conditional_t<std::is_floating_point_v<T>,
                                        double,
                                        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
        std::vector<Number> numbers;
        for (const T value : values)
        {
            numbers.emplace_back(static_cast<Wide>(value));
        }
        return numbers;
    }

    /**
     * @param bounds Bounds of any number.
     * @param side Lower or upper bounds.
     * @param dtype Name of the element type.
     * @return the bounds in the element type
     */
    static Ptr<const OpenGymBoxContainerBase> MakeBounds(const std::vector<Number>& bounds,
                                                         Side side,
                                                         const std::string& dtype);

    template <typename T>
    struct Bounds; //!< Bounds of one element type

    /**
     * @tparam T Element type.
     * @param data Elements of a value, as many as the shape has.
     * @return a fault of one element, or an empty string
     */
    template <typename T>
    std::string FindBoundsFault(const std::vector<T>& data) const;

    /** Abort unless types, numbers and order of the bounds fit. */
    void CheckBounds() const;

    Ptr<const OpenGymBoxContainerBase> m_low;  //!< Lower bound of all elements, or of each
    Ptr<const OpenGymBoxContainerBase> m_high; //!< Upper bound of all elements, or of each
};

template <typename T>
Ptr<OpenGymBoxSpace>
OpenGymBoxSpace::Create(std::vector<T> low, std::vector<T> high, std::vector<uint32_t> shape)
{
    auto lowContainer = MakeEmptyContainer<OpenGymBoxContainer<T>>();
    auto highContainer = MakeEmptyContainer<OpenGymBoxContainer<T>>();
    lowContainer->SetData(std::move(low));
    highContainer->SetData(std::move(high));
    return CreateObject<OpenGymBoxSpace>(lowContainer, highContainer, std::move(shape));
}

} // namespace ns3

#endif /* OPENGYM_BOX_SPACE_H */
