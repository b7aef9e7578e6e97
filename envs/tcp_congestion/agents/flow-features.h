// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_FEATURES_H
#define FLOW_FEATURES_H

#include "tcp-flow.h"

#include <functional>
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
 * History, ratios and logarithms (base 2) that do not depend on the rate of the link. For each of
 * the last four intervals, newest first: log2(product / window), log2(round trip time / minimum),
 * retransmitted / sent, acknowledged / sent, in flight / window, log2(1 + segments in queues, by
 * Little's law), log2(window / window before). For the flow: log2(greatest product so far /
 * window), log2(greatest product of the last ten intervals / window), log2(window in segments),
 * log2(minimum round trip time in ms), log2(1 + seconds since the first interval). The product of
 * an interval is its throughput x the minimum round trip time. The window is the congestion window,
 * or the pacing rate x the minimum round trip time. Intervals before the first one are zeros.
 */
class FlowFeatures
{
  public:
    /**
     * A number of an observation.
     */
    struct Element
    {
        std::string name; //!< Name
        float low;        //!< Lower bound
        float high;       //!< Upper bound
    };

    /**
     * @param observation absolute, relative or history.
     */
    explicit FlowFeatures(const std::string& observation);

    /**
     * @param sample Sample of a monitor interval.
     * @return the observation, within the bounds
     */
    std::vector<float> Make(const FlowSample& sample);

    /// @return the numbers of an observation
    const std::vector<Element>& GetElements() const
    {
        return m_elements;
    }

  private:
    std::vector<Element> m_elements; //!< Names and bounds of the numbers
    /// Computes the numbers of the next interval, with the state of the flow so far.
    std::function<std::vector<double>(const FlowSample&)> m_compute;
};

} // namespace ns3

#endif // FLOW_FEATURES_H
