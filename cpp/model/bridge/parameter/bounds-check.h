// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOUNDS_CHECK_H
#define BOUNDS_CHECK_H

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Which observations are compared with the bounds of their space.
 */
enum class BoundsCheck
{
    AUTOMATIC, //!< All of up to 256 numbers; of larger ones one in size / 256
    ALWAYS,    //!< All
    NEVER,     //!< None
};

} // namespace ns3

#endif /* BOUNDS_CHECK_H */
