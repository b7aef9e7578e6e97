// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_MULTI_DISCRETE_CONTAINER_H
#define OPENGYM_MULTI_DISCRETE_CONTAINER_H

#include "ns3/opengym-tensor-data.h"

namespace ns3
{

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

    /** Start with one axis that grows with each value. */
    OpenGymMultiDiscreteContainer() = default;

    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymMultiDiscreteContainer(std::vector<uint32_t> shape);

    Ptr<OpenGymDataContainer> Copy() const override;
};

} // namespace ns3

#endif /* OPENGYM_MULTI_DISCRETE_CONTAINER_H */
