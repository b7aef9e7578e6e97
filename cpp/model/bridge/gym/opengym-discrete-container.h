// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DISCRETE_CONTAINER_H
#define OPENGYM_DISCRETE_CONTAINER_H

#include "ns3/opengym-data-container.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymDiscreteSpace: one integer.
 */
class OpenGymDiscreteContainer final : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** Hold 0 and accept any integer. */
    OpenGymDiscreteContainer() = default;

    /**
     * Hold 0 and accept integers of a range.
     *
     * @param n Integers from 0 to n - 1 are accepted; 0: any integer.
     */
    explicit OpenGymDiscreteContainer(uint32_t n);

    /**
     * @param value The integer to hold.
     * @return false when the integer is out of the range given at construction
     */
    bool SetValue(int64_t value);

    /**
     * @return the integer
     */
    int64_t GetValue() const;

    Ptr<OpenGymDataContainer> Copy() const override;
    void Print(std::ostream& where) const override;

  private:
    uint32_t m_n{0};    //!< Number of integers taken; 0: any
    int64_t m_value{0}; //!< The integer held
};

} // namespace ns3

#endif /* OPENGYM_DISCRETE_CONTAINER_H */
