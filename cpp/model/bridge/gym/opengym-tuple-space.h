// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TUPLE_SPACE_H
#define OPENGYM_TUPLE_SPACE_H

#include "ns3/opengym-space.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Tuples whose elements each have their own space.
 */
class OpenGymTupleSpace : public OpenGymSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Append the space of the next element.
     *
     * @param element The space to append.
     * @return false when it is null
     */
    bool Add(Ptr<OpenGymSpace> element);

    /**
     * @param index Position of an element.
     * @return the element's space, or null when there is none
     */
    Ptr<OpenGymSpace> Get(uint32_t index) const;

    /**
     * @return the number of elements
     */
    uint32_t GetSize() const;

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    std::vector<Ptr<OpenGymSpace>> m_elements; //!< The spaces of the elements
};

} // namespace ns3

#endif /* OPENGYM_TUPLE_SPACE_H */
