// SPDX-License-Identifier: GPL-2.0-only

#ifndef CAPACITY_STEPS_H
#define CAPACITY_STEPS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A capacity that changes at given times: `seconds:Mb/s,seconds:Mb/s,...`.
 */
class CapacitySteps
{
  public:
    /**
     * A change of the capacity.
     */
    struct Step
    {
        Time time;     //!< Time from the start of the episode
        DataRate rate; //!< New capacity
    };

    /**
     * @param text The text; empty: no steps.
     * @return the steps, or nothing if the text is malformed
     */
    static std::optional<CapacitySteps> Parse(const std::string& text);

    /**
     * @return the steps, in order
     */
    const std::vector<Step>& Get() const;

    /**
     * @param first Capacity before the first step.
     * @param duration Duration of the episode.
     * @return mean capacity in bit/s over the episode
     */
    double GetMeanRate(DataRate first, Time duration) const;

  private:
    std::vector<Step> m_steps; //!< Steps in order
};

} // namespace ns3

#endif // CAPACITY_STEPS_H
