// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_SPACE_H
#define OPENGYM_SPACE_H

#include "ns3/opengym-data-container.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The set of values that an observation or an action can take, as in Gymnasium.
 */
class OpenGymSpace : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param where Stream to write the space's description to.
     */
    virtual void Print(std::ostream& where) const = 0;

    /**
     * @param value Any container; may be null.
     * @return whether the space contains it: kind, type, shape and each number
     */
    bool Contains(Ptr<const OpenGymDataContainer> value) const;

    /**
     * Describe the fault of a value outside of this space.
     *
     * @param value Any container; may be null.
     * @param checkBounds Whether to compare its numbers with the bounds, too.
     * @return the fault and its position, such as "element 2 is inf, but must be from 0 to 1";
     * empty: no fault
     */
    virtual std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const = 0;

    /**
     * @return the maximum number of numbers or characters of a value
     */
    virtual std::size_t GetFlatSize() const = 0;

    /**
     * Draw a value as Gymnasium does: uniformly if the space is bounded.
     *
     * @param random Source of the draw.
     * @return a value of this space
     */
    virtual Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const = 0;

    /**
     * Make a value of one number.
     *
     * @param value The number for each element, rounded to the space. A text gets its least length
     * of its first character.
     * @return a value of this space
     */
    virtual Ptr<OpenGymDataContainer> Constant(double value) const = 0;

  protected:
    /**
     * Cast a value to a class. Most values have exactly this class, which is checked in a few
     * nanoseconds.
     *
     * @tparam T The class.
     * @param value Any container; may be null.
     * @return the value, or null
     */
    template <typename T>
    static const T* CastTo(const OpenGymDataContainer* value)
    {
        return value && typeid(*value) == typeid(T) ? static_cast<const T*>(value)
                                                    : dynamic_cast<const T*>(value);
    }

    /**
     * @param value A container of another kind; may be null.
     * @param expected The expected kind, such as "a box".
     * @return the fault
     */
    static std::string DescribeKind(const OpenGymDataContainer* value, const std::string& expected);

    /**
     * @param random Source of the draw.
     * @param largest Upper end, inclusive.
     * @return an integer drawn uniformly from 0 to the upper end
     */
    static uint64_t SampleUpTo(Ptr<UniformRandomVariable> random, uint64_t largest);

    /**
     * @param random Source of the draw.
     * @param low Lower end, inclusive.
     * @param high Upper end, inclusive.
     * @return an integer drawn uniformly from the range
     */
    static int64_t SampleInteger(Ptr<UniformRandomVariable> random, int64_t low, int64_t high);

    /**
     * Draw from a range: uniformly when it is bounded, exponentially from its only bound, or
     * normally when it has none.
     *
     * @param random Source of the draw.
     * @param low Lower end, inclusive; may be infinite.
     * @param high Upper end, inclusive; may be infinite.
     * @return the draw
     */
    static double SampleReal(Ptr<UniformRandomVariable> random, double low, double high);

    /**
     * @param value A number; not NaN.
     * @param low Lower end, inclusive.
     * @param high Upper end, inclusive.
     * @return the integer of the range that is nearest to the number
     */
    static int64_t NearestInteger(double value, int64_t low, int64_t high);
};

/**
 * @param where Stream to write to.
 * @param space The object to describe; may be null.
 * @return the stream
 */
template <typename T>

requires std::is_convertible_v<T*, const OpenGymSpace*> std::ostream&
operator<<(std::ostream& where, const Ptr<T>& space)
{
    if (!space)
    {
        return where << "none";
    }
    space->Print(where);
    return where;
}

} // namespace ns3

#endif /* OPENGYM_SPACE_H */
