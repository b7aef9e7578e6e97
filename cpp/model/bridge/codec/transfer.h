// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRANSFER_H
#define TRANSFER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Something that Python holds is to cross the simulated network; only its size is reported.
 */
struct TransferOrder
{
    uint64_t number;      //!< Names it in its report
    std::string sender;   //!< Name of an application: "server_0"
    std::string receiver; //!< Name of another one
    std::string kind;     //!< Its kind: "model_update"
    uint64_t bytes;       //!< Its size
};

/**
 * @ingroup defiance
 *
 * @brief How a transfer finished; the values are those of defiance.v1.TransferOutcome.
 */
enum class TransferOutcome : uint8_t
{
    DELIVERED = 1, //!< All of it has arrived
    LOST = 2,      //!< It was on its way, and will never arrive
    REFUSED = 3,   //!< It has not been sent
};

/**
 * @ingroup defiance
 *
 * @brief The report of a transfer.
 */
struct TransferReport
{
    uint64_t number;         //!< Number of its order
    TransferOutcome outcome; //!< How it finished
    std::string reason;      //!< Why, unless it was delivered
    Time time;               //!< When
};

} // namespace ns3

#endif /* TRANSFER_H */
