// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_DATA_H
#define OPENGYM_TENSOR_DATA_H

#include "ns3/opengym-tensor-container.h"

#include <utility>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The elements of an OpenGymTensorContainer.
 *
 * Without a shape, the array has one axis that grows with each value. With a shape, it starts empty
 * and accepts as many values as the shape has elements.
 *
 * @tparam T Element type.
 * @tparam Base OpenGymTensorContainer, or an abstract class derived from it.
 */
template <typename T, typename Base>
class OpenGymTensorData : public Base
{
  public:
    /**
     * Append an element.
     *
     * @param value The element.
     * @return false when the shape is filled or the value is not allowed
     */
    bool AddValue(T value)
    {
        if (!this->Note(IsAllowed(value) && (m_growing || m_data.size() < m_capacity)))
        {
            return false;
        }
        m_data.push_back(value);
        FollowGrowth();
        return true;
    }

    /**
     * Replace an element.
     *
     * @param index Position of the element in C order.
     * @param value The element.
     * @return false when no such element has been added or the value is not allowed
     */
    bool SetValue(std::size_t index, T value)
    {
        if (!this->Note(IsAllowed(value) && index < m_data.size()))
        {
            return false;
        }
        m_data[index] = value;
        return true;
    }

    /**
     * @param index Position of the element in C order; must be less than GetSize().
     * @return the element
     */
    T GetValue(std::size_t index) const
    {
        NS_ABORT_MSG_IF(index >= m_data.size(),
                        "Element " << index << " was requested from a container of size "
                                   << m_data.size());
        return m_data[index];
    }

    /**
     * Replace all elements.
     *
     * @param data The elements, as many as the shape has.
     * @return false when the number is not the shape's or an element is not allowed
     */
    bool SetData(std::vector<T> data)
    {
        if (!this->Note((m_growing || data.size() == m_capacity) && AreAllowed(data)))
        {
            return false;
        }
        this->m_hasRefused = false;
        m_data = std::move(data);
        FollowGrowth();
        return true;
    }

    /**
     * Replace shape and elements.
     *
     * @param shape Lengths of the axes; none: a scalar.
     * @param data The elements, as many as the shape has.
     * @return false when the number is not the shape's or an element is not allowed
     */
    bool Assign(std::vector<uint32_t> shape, std::vector<T> data)
    {
        const auto count = GetElementCount(shape);
        if (!this->Note(count && data.size() == *count && AreAllowed(data)))
        {
            return false;
        }
        this->m_hasRefused = false;
        m_shape = std::move(shape);
        m_growing = false;
        m_capacity = *count;
        m_data = std::move(data);
        return true;
    }

    /**
     * @return the present elements
     */
    const std::vector<T>& GetData() const
    {
        return m_data;
    }

    OpenGymDtype GetDtype() const override
    {
        return OpenGymDtypeOf<T>();
    }

    const std::vector<uint32_t>& GetShape() const override
    {
        return m_shape;
    }

    std::size_t GetSize() const override
    {
        return m_data.size();
    }

    const void* GetRawData() const override
    {
        return m_data.data();
    }

    double GetAsDouble(std::size_t index) const override
    {
        return static_cast<double>(GetValue(index));
    }

    void Print(std::ostream& where) const override
    {
        const char* separator = "";
        where << "[";
        for (const T& value : m_data)
        {
            where << separator << +value;
            separator = ", ";
        }
        where << "]";
    }

  protected:
    /** Start with one axis that grows. */
    OpenGymTensorData()
        : m_shape{0},
          m_growing{true}
    {
    }

    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymTensorData(std::vector<uint32_t> shape)
        : m_shape(std::move(shape)),
          m_growing{false}
    {
        const auto count = GetElementCount(m_shape);
        NS_ABORT_MSG_IF(!count, "The shape of a container has too many elements");
        m_capacity = *count;
    }

    /**
     * @param value A new element.
     * @return whether the container may hold it
     */
    virtual bool IsAllowed(T value) const
    {
        return true;
    }

    /**
     * @param values New elements.
     * @return whether the container may hold all of them; to be overridden with IsAllowed()
     */
    virtual bool AreAllowed(const std::vector<T>& values) const
    {
        return true;
    }

  private:
    /** Set the shape of a growing array to its data's shape. */
    void FollowGrowth()
    {
        if (m_growing)
        {
            m_shape[0] = static_cast<uint32_t>(m_data.size());
        }
    }

    std::vector<uint32_t> m_shape; //!< Lengths of the axes
    bool m_growing;                //!< Whether the shape follows the data
    std::size_t m_capacity{0};     //!< Number of elements of a fixed shape
    std::vector<T> m_data;         //!< Elements in C order
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_DATA_H */
