// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_FEATURES_H
#define FLOW_FEATURES_H

#include "tcp-flow.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What an agent sees of a monitor interval.
 *
 * Absolute: ssThresh, cWnd (segments), segment size (bytes), acknowledged, sent, sent again, in
 * flight (segments), round trip time and its minimum (ms), throughput and pacing rate (Mb/s).
 *
 * Relative, numbers without units: round trip time / minimum - 1, throughput / greatest throughput
 * so far, acknowledged / sent, sent again / sent, in flight / (greatest throughput x minimum round
 * trip time), and the window, or pacing rate x minimum round trip time, over the same product.
 */
class FlowFeatures
{
  public:
    /**
     * @param relative Relative or absolute.
     */
    explicit FlowFeatures(bool relative = false);

    /**
     * @param sample Of a monitor interval.
     * @return what is seen, within the bounds
     */
    std::vector<float> Make(const FlowSample& sample);

    /**
     * @return upper bounds; lower ones are 0
     */
    const std::vector<float>& GetHigh() const;

    /**
     * @return names of what is seen
     */
    const std::vector<std::string>& GetNames() const;

  private:
    bool m_relative;      //!< Relative or absolute
    double m_greatest{1}; //!< Throughput so far, in bit/s
};

} // namespace ns3

#endif // FLOW_FEATURES_H
