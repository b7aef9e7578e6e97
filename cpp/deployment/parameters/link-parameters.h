// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_PARAMETERS_H
#define LINK_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief The properties of a link.
 */
struct LinkParameters
{
    DataRate dataRate{"10Mbps"}; //!< Data rate of both directions
    Time delay{};                //!< One-way delay
    double loss{0};              //!< Probability that a packet is lost

    /**
     * @param other Another link.
     * @return whether both links have the same properties
     */
    bool operator==(const LinkParameters& other) const = default;
};

} // namespace ns3

#endif // LINK_PARAMETERS_H
