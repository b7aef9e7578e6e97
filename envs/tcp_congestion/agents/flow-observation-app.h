// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_OBSERVATION_APP_H
#define FLOW_OBSERVATION_APP_H

#include "flow-features.h"
#include "tcp-flow.h"

#include "ns3/observation-application.h"

namespace ns3
{

/**
 * @brief Sends what its node's TcpFlow has measured in each monitor interval, and that it has left.
 *
 * A message is {"left": Discrete, 1 for the last one, "state": Box of features, float32}.
 */
class FlowObservationApp : public ObservationApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param features What is made of a sample.
     */
    void SetFeatures(const FlowFeatures& features);

    void RegisterCallbacks() override;

  private:
    /**
     * Send a sample.
     *
     * @param sample Of a monitor interval.
     */
    void Observe(const FlowSample& sample);

    /// Send the last sample.
    void NotifyLeft();

    /**
     * @param sample Of a monitor interval.
     * @param left Whether the flow has left.
     */
    void SendSample(const FlowSample& sample, bool left);

    FlowFeatures m_features; //!< What is made of a sample
};

} // namespace ns3

#endif // FLOW_OBSERVATION_APP_H
