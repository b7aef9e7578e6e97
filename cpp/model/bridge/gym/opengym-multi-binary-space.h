// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_MULTI_BINARY_SPACE_H
#define OPENGYM_MULTI_BINARY_SPACE_H

#include "ns3/opengym-tensor-space.h"

#include <vector>

namespace ns3
{

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
    explicit OpenGymMultiBinarySpace(std::vector<uint32_t> shape);

    const std::vector<uint32_t>& GetShape() const override;
    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    std::vector<uint32_t> m_shape; //!< Lengths of the axes
    std::size_t m_size;            //!< Number of elements
};

} // namespace ns3

#endif /* OPENGYM_MULTI_BINARY_SPACE_H */
