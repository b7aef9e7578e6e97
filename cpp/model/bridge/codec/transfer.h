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
 * @brief A Python object to send through the simulated network; only its size is known here.
 */
struct TransferOrder
{
    uint64_t number;      //!< Number in the transfer's report
    std::string sender;   //!< Name of an application: "server_0"
    std::string receiver; //!< Name of the receiving agent
    std::string kind;     //!< Kind of the transfer: "model_update"
    uint64_t bytes;       //!< Size of the transfer
};

/**
 * @ingroup defiance
 *
 * @brief The outcome of a transfer; the values are those of defiance.v1.TransferOutcome.
 */
enum class TransferOutcome : uint8_t
{
    DELIVERED = 1, //!< All bytes have arrived
    LOST = 2,      //!< The transfer was under way and cannot arrive
    REFUSED = 3,   //!< The transfer was not sent
};

/**
 * @ingroup defiance
 *
 * @brief The report of a transfer.
 */
struct TransferReport
{
    uint64_t number;         //!< Number of the order
    TransferOutcome outcome; //!< Outcome of the transfer
    std::string reason;      //!< Reason, unless the transfer was delivered
    Time time;               //!< Time of the outcome
};

} // namespace ns3

#endif /* TRANSFER_H */
