// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_SPACE_H
#define OPENGYM_SPACE_H

#include "ns3/abort.h"
#include "ns3/opengym-data-container.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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
    bool Contains(Ptr<const OpenGymDataContainer> value) const
    {
        return FindFault(PeekPointer(value), true).empty();
    }

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

    /** @brief How Make() chooses each element of a value. */
    struct Choice
    {
        Ptr<UniformRandomVariable> random; //!< Source of draws; null: no draws
        double number;                     //!< Without draws, elements are nearest to this number

        /**
         * Choose a number from a range. A draw is uniform when the range is bounded, exponential
         * from its only bound, or normal when it has none.
         *
         * @tparam T Type of an element.
         * @param low Lower end, inclusive; may be infinite.
         * @param high Upper end, inclusive; may be infinite.
         * @return the number
         */
        template <typename T>
        T Pick(T low, T high) const;
    };

    /**
     * Make a value of this space.
     *
     * @param choice The choice of each element. Without draws, a text gets its least length of its
     * first character.
     * @return the value
     */
    virtual Ptr<OpenGymDataContainer> Make(const Choice& choice) const = 0;

    /**
     * Draw a value as Gymnasium does: uniformly if the space is bounded.
     *
     * @param random Source of the draw.
     * @return a value of this space
     */
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const
    {
        return Make({random, 0});
    }

    /**
     * Make a value of one number.
     *
     * @param value The number for each element, rounded to the space.
     * @return a value of this space
     */
    Ptr<OpenGymDataContainer> Constant(double value) const
    {
        return Make({nullptr, value});
    }

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

  private:
    /**
     * @param random Source of the draw.
     * @param largest Upper end, inclusive.
     * @return an integer drawn uniformly from 0 to the upper end
     */
    static uint64_t SampleUpTo(Ptr<UniformRandomVariable> random, uint64_t largest);

    /**
     * @param random Source of the draw.
     * @param low Lower end, inclusive; may be infinite.
     * @param high Upper end, inclusive; may be infinite.
     * @return a number drawn as Choice::Pick() describes
     */
    static double SampleReal(Ptr<UniformRandomVariable> random, double low, double high);
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

/**
 * @tparam T Type of an element.
 * @param value A number; not NaN.
 * @return the nearest element of the type
 */
template <typename T>
T
NearestElement(double value)
{
    NS_ABORT_MSG_IF(std::isnan(value), "NaN is neither an element nor a bound of a space");
    if constexpr (std::is_floating_point_v<T>)
    {
        return static_cast<T>(value);
    }
    else
    {
        using Limits = std::numeric_limits<T>;
        const double rounded = std::round(value);
        // The largest 64-bit integers round up as double, hence no ">".
        if (rounded >= static_cast<double>(Limits::max()))
        {
            return Limits::max();
        }
        return rounded <= static_cast<double>(Limits::lowest()) ? Limits::lowest()
                                                                : static_cast<T>(rounded);
    }
}

template <typename T>
T
OpenGymSpace::Choice::Pick(T low, T high) const
{
    if (!random)
    {
        return std::clamp(NearestElement<T>(number), low, high);
    }
    if constexpr (std::is_floating_point_v<T>)
    {
        // Rounding to float must not leave the bounds.
        return std::clamp(static_cast<T>(SampleReal(random, low, high)), low, high);
    }
    else
    {
        // Unsigned arithmetic: the width of the range may exceed int64_t.
        const auto width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        return static_cast<T>(static_cast<uint64_t>(low) + SampleUpTo(random, width));
    }
}

} // namespace ns3

#endif /* OPENGYM_SPACE_H */
