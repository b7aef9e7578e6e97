// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include "ns3/nstime.h"

#include <string>

namespace ns3
{

/**
 * @brief The files that a simulation writes about its episode, and their folder.
 */
struct RecordOptions
{
    std::string folder;              //!< An existing folder; empty: nothing is written
    Time interval{MilliSeconds(10)}; //!< Simulated time between samples of links and positions
    bool pcap{false};                //!< Whether packets of all devices on links are captured

    /**
     * Read the DEFIANCE_RECORD_* environment variables; end the process on an invalid one.
     *
     * @return these options, the rest by default
     */
    static RecordOptions FromEnvironment();

    /**
     * @return a fault of the options, or an empty string
     */
    std::string FindFault() const;
};

} // namespace ns3

#endif /* RECORD_OPTIONS_H */
