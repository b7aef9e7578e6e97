// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DISCRETE_SPACE_H
#define OPENGYM_DISCRETE_SPACE_H

#include "ns3/opengym-space.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The integers from start to start + n - 1.
 */
class OpenGymDiscreteSpace : public OpenGymSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param n Number of integers; positive.
     * @param start The least integer.
     */
    explicit OpenGymDiscreteSpace(int64_t n, int64_t start = 0);

    /**
     * @return the number of integers
     */
    int64_t GetN() const;

    /**
     * @return the least integer
     */
    int64_t GetStart() const;

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    int64_t m_n;     //!< Number of integers
    int64_t m_start; //!< The least integer
};

} // namespace ns3

#endif /* OPENGYM_DISCRETE_SPACE_H */
