// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_FAILURES_H
#define LINK_FAILURES_H

#include "router-network.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Lets links fail and work again, after times from exponential distributions.
 */
class LinkFailures
{
  public:
    /**
     * @param network Network of the links; it outlives this object.
     * @param links Number of links.
     * @param interval Mean time until a link fails.
     * @param repair Mean time until a link works again.
     */
    LinkFailures(RouterNetwork& network, uint32_t links, Time interval, Time repair);

    /// Begin the episode.
    void Start();

  private:
    /**
     * Change a link, and draw the time of its next change.
     *
     * @param link Number of the link.
     * @param works Whether it works from now on.
     */
    void Change(uint32_t link, bool works);

    /**
     * Draw the time of a link's next change.
     *
     * @param link Number of the link.
     * @param works Whether it works until then.
     */
    void Schedule(uint32_t link, bool works);

    RouterNetwork& m_network;                                //!< Routers with the links
    Time m_interval;                                         //!< Mean time until a link fails
    Time m_repair;                                           //!< Mean repair time
    std::vector<Ptr<ExponentialRandomVariable>> m_variables; //!< Variable of each link
};

} // namespace ns3

#endif // LINK_FAILURES_H
