// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_MULTI_DISCRETE_SPACE_H
#define OPENGYM_MULTI_DISCRETE_SPACE_H

#include "ns3/opengym-multi-discrete-container.h"
#include "ns3/opengym-tensor-space.h"

#include <vector>

namespace ns3
{

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
    Ptr<const OpenGymMultiDiscreteContainer> GetNvec() const;

    /**
     * @return the least integer of each element
     */
    Ptr<const OpenGymMultiDiscreteContainer> GetStart() const;

    const std::vector<uint32_t>& GetShape() const override;
    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
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

} // namespace ns3

#endif /* OPENGYM_MULTI_DISCRETE_SPACE_H */
