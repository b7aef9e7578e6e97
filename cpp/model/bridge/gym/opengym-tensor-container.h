// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_CONTAINER_H
#define OPENGYM_TENSOR_CONTAINER_H

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param shape Lengths of an array's axes; none: a scalar.
 * @return the number of elements, or nothing when it exceeds any memory
 */
std::optional<std::size_t> GetElementCount(const std::vector<uint32_t>& shape);

/**
 * @param shape Lengths of an array's axes; none: a scalar.
 * @return the shape in Python's notation, with a comma after each length
 */
std::string FormatShape(const std::vector<uint32_t>& shape);

/**
 * @ingroup defiance
 *
 * @brief An array of numbers in C order, of any element type.
 */
class OpenGymTensorContainer : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return the element type
     */
    virtual OpenGymDtype GetDtype() const = 0;

    /**
     * @return the lengths of the axes; none: a scalar
     */
    virtual const std::vector<uint32_t>& GetShape() const = 0;

    /**
     * @return the number of elements held so far
     */
    virtual std::size_t GetSize() const = 0;

    /**
     * @return the first of GetRawSize() bytes, in this machine's byte order
     */
    virtual const void* GetRawData() const = 0;

    /**
     * @return the number of bytes held so far
     */
    std::size_t GetRawSize() const
    {
        return GetSize() * GetItemSize(GetDtype());
    }

    /**
     * @param index Position of the element in C order.
     * @return the element, rounded when it is an integer of more than 53 bits
     */
    virtual double GetAsDouble(std::size_t index) const = 0;

    /**
     * @return whether the shape is filled
     */
    bool IsComplete() const
    {
        return GetElementCount(GetShape()) == GetSize();
    }

    /**
     * @return whether elements since the last SetData() or Assign() were refused, because the shape
     * has no room for them or they are not allowed: then no space contains the array
     */
    bool HasRefused() const
    {
        return m_hasRefused;
    }

  protected:
    /**
     * @param taken Whether the given elements were accepted.
     * @return `taken`
     */
    bool Note(bool taken)
    {
        m_hasRefused = m_hasRefused || !taken;
        return taken;
    }

    bool m_hasRefused{false}; //!< Whether given elements were refused
};

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
    /** Start with one axis that grows with each value. */
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

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymBoxSpace, of any element type.
 */
class OpenGymBoxContainerBase : public OpenGymTensorContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
};

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymBoxSpace.
 *
 * @tparam T float, double or one of the exact-width integers of cstdint.
 */
template <typename T>
class OpenGymBoxContainer : public OpenGymTensorData<T, OpenGymBoxContainerBase>
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                      std::is_same_v<T, int8_t> || std::is_same_v<T, int16_t> ||
                      std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                      std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> ||
                      std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>,
                  "A box holds float, double, or intN_t or uintN_t with N of 8, 16, 32, 64");

  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::OpenGymBoxContainer<" + GetDtypeName(OpenGymDtypeOf<T>()) + ">")
                .SetParent<OpenGymBoxContainerBase>()
                .SetGroupName("defiance")
                .template AddConstructor<OpenGymBoxContainer<T>>();
        return tid;
    }

    using OpenGymTensorData<T, OpenGymBoxContainerBase>::OpenGymTensorData;

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymBoxContainer<T>>(this));
    }
};

extern template class OpenGymBoxContainer<float>;
extern template class OpenGymBoxContainer<double>;
extern template class OpenGymBoxContainer<int8_t>;
extern template class OpenGymBoxContainer<int16_t>;
extern template class OpenGymBoxContainer<int32_t>;
extern template class OpenGymBoxContainer<int64_t>;
extern template class OpenGymBoxContainer<uint8_t>;
extern template class OpenGymBoxContainer<uint16_t>;
extern template class OpenGymBoxContainer<uint32_t>;
extern template class OpenGymBoxContainer<uint64_t>;

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymMultiDiscreteSpace: an array of integers.
 */
class OpenGymMultiDiscreteContainer final
    : public OpenGymTensorData<int64_t, OpenGymTensorContainer>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    using OpenGymTensorData::OpenGymTensorData;

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymMultiDiscreteContainer>(this));
    }
};

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymMultiBinarySpace: an array of zeros and ones.
 */
class OpenGymMultiBinaryContainer final : public OpenGymTensorData<int8_t, OpenGymTensorContainer>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    using OpenGymTensorData::OpenGymTensorData;

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymMultiBinaryContainer>(this));
    }

  private:
    bool IsAllowed(int8_t value) const override
    {
        return value == 0 || value == 1;
    }

    bool AreAllowed(const std::vector<int8_t>& values) const override;
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_CONTAINER_H */
