// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_SPACE_H
#define OPENGYM_TENSOR_SPACE_H

#include "ns3/opengym-space.h"
#include "ns3/opengym-tensor-container.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
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
                              Ptr<const OpenGymMultiDiscreteContainer> start);

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

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    /** Abort unless numbers and shapes fit. */
    void Check() const;

    /**
     * @param index Position of an element.
     * @return the largest integer of that element
     */
    int64_t GetLargest(std::size_t index) const;

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

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_SPACE_H */
