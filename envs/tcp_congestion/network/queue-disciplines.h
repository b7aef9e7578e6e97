// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_DISCIPLINES_H
#define QUEUE_DISCIPLINES_H

#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/queue-disc.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A queue discipline of ns-3, and what is set of it; the rest is ns-3's default.
 */
struct QueueDisciplineParameters
{
    std::string name{"fifo"};  //!< One of GetQueueDisciplines(), or `agent`
    uint32_t buffer{100};      //!< In packets
    bool ecn{false};           //!< Mark rather than drop
    uint32_t packetSize{1500}; //!< Of IP packets in bytes, for RED and PIE
    DataRate rate;             //!< Of the link, for RED
    Time delay;                //!< Of the link, for RED
};

/**
 * @return the names of the disciplines: fifo, red, codel, fq_codel, pie, cobalt
 */
const std::vector<std::string>& GetQueueDisciplines();

/**
 * Install a queue discipline.
 *
 * @param parameters Which.
 * @param device Before which device.
 * @param stream Stream of its random variables.
 * @return the discipline; for `agent` a ProbabilityQueueDisc
 */
Ptr<QueueDisc> InstallQueueDiscipline(const QueueDisciplineParameters& parameters,
                                      Ptr<NetDevice> device,
                                      int64_t stream);

} // namespace ns3

#endif // QUEUE_DISCIPLINES_H
