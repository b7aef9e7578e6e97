// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_CONTAINER_H
#define OPENGYM_TENSOR_CONTAINER_H

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-dtype.h"

#include <cstdint>
#include <optional>
#include <string>
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
    std::size_t GetRawSize() const;

    /**
     * @param index Position of the element in C order.
     * @return the element, rounded when it is an integer of more than 53 bits
     */
    virtual double GetAsDouble(std::size_t index) const = 0;

    /**
     * @return whether the shape is filled
     */
    bool IsComplete() const;

    /**
     * @return whether elements since the last SetData() or Assign() were refused, because the shape
     * has no room for them or they are not allowed: then no space contains the array
     */
    bool HasRefused() const;

  protected:
    /**
     * @param taken Whether the given elements were accepted.
     * @return `taken`
     */
    bool Note(bool taken);

    bool m_hasRefused{false}; //!< Whether given elements were refused
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_CONTAINER_H */
