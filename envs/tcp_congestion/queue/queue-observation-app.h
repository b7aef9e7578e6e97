// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_OBSERVATION_APP_H
#define QUEUE_OBSERVATION_APP_H

#include "bottleneck-queue.h"

#include "ns3/observation-application.h"

#include <vector>

namespace ns3
{

/**
 * @brief Sends what its node's BottleneckQueue has measured in each interval.
 *
 * A message is {"state": Box of 6 x float32}: packets in the queue, mean time in the queue (ms),
 * throughput (Mb/s), packets dropped, packets marked, probability of a drop or mark.
 */
class QueueObservationApp : public ObservationApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return upper bounds; lower ones are 0
     */
    static const std::vector<float>& GetHigh();

    void RegisterCallbacks() override;

  private:
    /**
     * Send a sample.
     *
     * @param sample Of an interval.
     */
    void Observe(const QueueSample& sample);
};

} // namespace ns3

#endif // QUEUE_OBSERVATION_APP_H
