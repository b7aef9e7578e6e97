// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_FEATURES_H
#define FLOW_FEATURES_H

#include "flow-history.h"
#include "tcp-flow.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The observation of a flow at the end of a monitor interval.
 *
 * Absolute: ssThresh, cWnd (segments), segment size (bytes), acknowledged, sent, retransmitted, in
 * flight (segments), round trip time and its minimum (ms), throughput and pacing rate (Mb/s).
 *
 * Relative, numbers without units: round trip time / minimum - 1, throughput / greatest throughput
 * so far, acknowledged / sent, retransmitted / sent. The last two numbers are divided by the
 * greatest throughput x minimum round trip time: in flight, and the window, or pacing rate x
 * minimum round trip time.
 *
 * History: see FlowHistory.
 */
class FlowFeatures
{
  public:
    /**
     * @param observation absolute, relative or history.
     */
    explicit FlowFeatures(std::string observation);

    /**
     * @param sample Sample of a monitor interval.
     * @return the observation, within the bounds
     */
    std::vector<float> Make(const FlowSample& sample);

    /**
     * @return lower bounds
     */
    std::vector<float> GetLow() const;

    /**
     * @return upper bounds
     */
    const std::vector<float>& GetHigh() const;

    /**
     * @return names of the numbers
     */
    const std::vector<std::string>& GetNames() const;

    /**
     * @param numerator A number.
     * @param denominator A nonnegative number.
     * @return the ratio; 0 for 0 / 0
     */
    static double Divide(double numerator, double denominator);

    /**
     * @param values Numbers.
     * @param low Lower bounds.
     * @param high Upper bounds.
     * @return the numbers, each within its bounds
     */
    static std::vector<float> Clamp(const std::vector<double>& values,
                                    const std::vector<float>& low,
                                    const std::vector<float>& high);

  private:
    /**
     * @param sample Sample of a monitor interval.
     * @return numbers without units
     */
    std::vector<double> MakeRelative(const FlowSample& sample);

    std::string m_observation; //!< Kind: absolute, relative or history
    double m_greatest{1};      //!< Largest throughput so far, in bit/s
    FlowHistory m_history;     //!< History of intervals
};

} // namespace ns3

#endif // FLOW_FEATURES_H
