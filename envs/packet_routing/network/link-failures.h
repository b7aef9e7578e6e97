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
 * @brief Has links fail and work again, each after times that are drawn from exponential
 * distributions.
 */
class LinkFailures
{
  public:
    /**
     * @param network Whose links fail; it outlives this.
     * @param links How many it has.
     * @param interval Mean time until a link fails.
     * @param repair Mean time until it works again.
     */
    LinkFailures(RouterNetwork& network, uint32_t links, Time interval, Time repair);

    /// The episode begins.
    void Start();

  private:
    /**
     * Change a link, and draw when it is changed the next time.
     *
     * @param link Its number.
     * @param works Whether it works from now on.
     */
    void Change(uint32_t link, bool works);

    /**
     * Draw when a link is changed.
     *
     * @param link Its number.
     * @param works Whether it works until then.
     */
    void Schedule(uint32_t link, bool works);

    RouterNetwork& m_network;                                //!< Whose links fail
    Time m_interval;                                         //!< Mean time until a link fails
    Time m_repair;                                           //!< Mean time until it works again
    std::vector<Ptr<ExponentialRandomVariable>> m_variables; //!< Of each link
};

} // namespace ns3

#endif // LINK_FAILURES_H
