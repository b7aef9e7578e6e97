// SPDX-License-Identifier: GPL-2.0-only

#ifndef CLIENT_OPERATION_H
#define CLIENT_OPERATION_H

#include "replica-state.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The operation in a client's request: it reads or writes one of two registers, or swaps
 * its value if it is as expected. Registers hold 0 at first.
 *
 * It follows from seed and number of the request, so that messages have the number alone. A write
 * writes that number, so that each value tells where it comes from.
 */
struct ClientOperation
{
    /// The operation.
    enum Kind : uint8_t
    {
        READ,
        WRITE,
        COMPARE_AND_SWAP,
    };

    using Registers = std::map<uint32_t, int64_t>; //!< Values by key

    Kind kind{READ};     //!< The operation
    uint32_t key{0};     //!< With which register: 0 or 1
    int64_t expected{0}; //!< Value that is to be swapped
    int64_t value{0};    //!< Value that is written, or takes its place

    /**
     * @param request Number of a request, from 1 on.
     * @return what it asks for
     */
    static ClientOperation Of(uint32_t request);

    /**
     * Do it.
     *
     * @param registers With which values.
     * @return of a read the value, else whether a value was written
     */
    int64_t Apply(Registers& registers) const;

    /**
     * @param log A log.
     * @param count How many of its entries are done, the first ones.
     * @return what the registers hold then
     */
    static Registers Replay(const std::vector<ReplicaEntry>& log, std::size_t count);
};

} // namespace ns3

#endif // CLIENT_OPERATION_H
