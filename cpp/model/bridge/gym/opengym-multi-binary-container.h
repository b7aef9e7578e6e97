// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_MULTI_BINARY_CONTAINER_H
#define OPENGYM_MULTI_BINARY_CONTAINER_H

#include "ns3/opengym-tensor-data.h"

namespace ns3
{

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

    /** Start with one axis that grows with each value. */
    OpenGymMultiBinaryContainer() = default;

    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymMultiBinaryContainer(std::vector<uint32_t> shape);

    Ptr<OpenGymDataContainer> Copy() const override;

  private:
    bool IsAllowed(int8_t value) const override;
    bool AreAllowed(const std::vector<int8_t>& values) const override;
};

} // namespace ns3

#endif /* OPENGYM_MULTI_BINARY_CONTAINER_H */
