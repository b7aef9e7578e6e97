// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TENSOR_SPACE_H
#define OPENGYM_TENSOR_SPACE_H

#include "ns3/opengym-space.h"
#include "ns3/opengym-tensor-container.h"

#include <cstdint>
#include <sstream>
#include <string>
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
    virtual const std::vector<uint32_t>& GetShape() const = 0;

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
    const std::vector<std::string>& GetElementNames() const;

  protected:
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
    std::vector<std::string> m_elementNames; //!< Name of each element; empty: no names
};

} // namespace ns3

#endif /* OPENGYM_TENSOR_SPACE_H */
