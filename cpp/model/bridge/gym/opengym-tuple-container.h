// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TUPLE_CONTAINER_H
#define OPENGYM_TUPLE_CONTAINER_H

#include "ns3/opengym-data-container.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymTupleSpace: containers in a fixed order.
 */
class OpenGymTupleContainer final : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Append an element.
     *
     * @param element The container to append.
     * @return false when it is null
     */
    bool Add(Ptr<OpenGymDataContainer> element);

    /**
     * @param index Position of an element.
     * @return the element, or null when there is none
     */
    Ptr<OpenGymDataContainer> Get(uint32_t index) const;

    /**
     * @return the number of elements
     */
    uint32_t GetSize() const;

    Ptr<OpenGymDataContainer> Copy() const override;
    void Print(std::ostream& where) const override;

  private:
    std::vector<Ptr<OpenGymDataContainer>> m_elements; //!< The elements
};

} // namespace ns3

#endif /* OPENGYM_TUPLE_CONTAINER_H */
