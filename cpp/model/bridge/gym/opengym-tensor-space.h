// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_SPACE_H
#define OPENGYM_TENSOR_SPACE_H

#include "ns3/opengym-space.h"
#include "ns3/opengym-tensor-container.h"

#include <cstdint>
#include <sstream>
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
 * @brief Arrays of one shape, whose elements may have names.
 */
class OpenGymTensorSpace : public OpenGymSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return the lengths of the axes; none: a scalar
     */
    const std::vector<uint32_t>& GetShape() const
    {
        return m_shape;
    }

    std::size_t GetFlatSize() const override
    {
        return m_size;
    }

    /**
     * Name the elements. Error messages, recordings and reports show the names.
     *
     * @param names One name for each element, in C order: nonempty and different texts in UTF-8.
     * Abort otherwise.
     */
    void SetElementNames(std::vector<std::string> names);

    /**
     * @return the name of each element, in C order; empty: no names
     */
    const std::vector<std::string>& GetElementNames() const
    {
        return m_elementNames;
    }

  protected:
    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymTensorSpace(std::vector<uint32_t> shape);

    /**
     * @param array An array.
     * @param dtype Expected element type.
     * @return a fault of its element type, shape or number of elements; empty: no fault
     */
    std::string FindFormFault(const OpenGymTensorContainer& array, OpenGymDtype dtype) const;

    /**
     * @tparam T Element type.
     * @param index Position of an element that is out of bounds.
     * @param value The element.
     * @param low Lower bound of the element.
     * @param high Upper bound of the element.
     * @return the fault
     */
    template <typename T>
    std::string DescribeElement(std::size_t index, T value, T low, T high) const
    {
        std::ostringstream text;
        text << "element " << index;
        if (!m_elementNames.empty())
        {
            text << " (" << m_elementNames[index] << ")";
        }
        text << " is " << +value << ", but must be from " << +low << " to " << +high;
        return text.str();
    }

  private:
    std::vector<uint32_t> m_shape;           //!< Lengths of the axes
    std::size_t m_size;                      //!< Number of elements
    std::vector<std::string> m_elementNames; //!< Name of each element; empty: no names
};

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
                    std::vector<uint32_t> shape)
        : OpenGymTensorSpace(std::move(shape)),
          m_low(low),
          m_high(high)
    {
        CheckBounds();
    }

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
    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;

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

/**
 * @ingroup defiance
 *
 * @brief Arrays of integers, element i from start[i] to start[i] + nvec[i] - 1.
 */
class OpenGymMultiDiscreteSpace : public OpenGymTensorSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Make a space of arrays of one axis.
     *
     * @param nvec Number of integers of each element; positive.
     * @param start The least integer of each element; none: 0 for each.
     */
    explicit OpenGymMultiDiscreteSpace(const std::vector<int64_t>& nvec,
                                       const std::vector<int64_t>& start = {});

    /**
     * Make a space of arrays of any shape.
     *
     * @param nvec Number of integers of each element; positive.
     * @param start The least integer of each element, in the same shape.
     */
    OpenGymMultiDiscreteSpace(Ptr<const OpenGymMultiDiscreteContainer> nvec,
                              Ptr<const OpenGymMultiDiscreteContainer> start)
        : OpenGymTensorSpace(nvec ? nvec->GetShape() : std::vector<uint32_t>{}),
          m_nvec(nvec),
          m_start(start)
    {
        Check();
    }

    /**
     * @return the number of integers of each element
     */
    Ptr<const OpenGymMultiDiscreteContainer> GetNvec() const
    {
        return m_nvec;
    }

    /**
     * @return the least integer of each element
     */
    Ptr<const OpenGymMultiDiscreteContainer> GetStart() const
    {
        return m_start;
    }

    void Print(std::ostream& where) const override
    {
        where << "MultiDiscrete(" << m_nvec << ", start=" << m_start << ")";
    }

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;

  private:
    /** Abort unless numbers and shapes fit. */
    void Check() const;

    /**
     * @param index Position of an element.
     * @return the largest integer of that element
     */
    int64_t GetLargest(std::size_t index) const
    {
        return m_start->GetValue(index) + (m_nvec->GetValue(index) - 1);
    }

    Ptr<const OpenGymMultiDiscreteContainer> m_nvec;  //!< Number of integers of each element
    Ptr<const OpenGymMultiDiscreteContainer> m_start; //!< The least integer of each element
};

/**
 * @ingroup defiance
 *
 * @brief Arrays of zeros and ones.
 */
class OpenGymMultiBinarySpace : public OpenGymTensorSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymMultiBinarySpace(std::vector<uint32_t> shape)
        : OpenGymTensorSpace(std::move(shape))
    {
    }

    void Print(std::ostream& where) const override
    {
        where << "MultiBinary(" << FormatShape(GetShape()) << ")";
    }

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_SPACE_H */
