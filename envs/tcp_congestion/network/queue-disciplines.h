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
 * @brief An ns-3 queue discipline, and its settings; other attributes have ns-3's defaults.
 */
struct QueueDisciplineParameters
{
    std::string name{"fifo"};  //!< One of GetQueueDisciplines(), or `agent`
    uint32_t buffer{100};      //!< Size in packets
    bool ecn{false};           //!< Whether to mark instead of drop
    uint32_t packetSize{1500}; //!< Size of IP packets in bytes, for RED and PIE
    DataRate rate;             //!< Data rate of the link, for RED
    Time delay;                //!< Delay of the link, for RED
};

/**
 * @return the names of the disciplines: fifo, red, codel, fq_codel, pie, cobalt
 */
const std::vector<std::string>& GetQueueDisciplines();

/**
 * Install a queue discipline.
 *
 * @param parameters The discipline.
 * @param device The device after the queue.
 * @param stream Stream of the discipline's random variables.
 * @return the discipline; for `agent` a ProbabilityQueueDisc
 */
Ptr<QueueDisc> InstallQueueDiscipline(const QueueDisciplineParameters& parameters,
                                      Ptr<NetDevice> device,
                                      int64_t stream);

} // namespace ns3

#endif // QUEUE_DISCIPLINES_H
