// SPDX-License-Identifier: GPL-2.0-only

#ifndef PER_ACK_AGENT_APP_H
#define PER_ACK_AGENT_APP_H

#include "per-ack-control.h"
#include "tcp-flow.h"

#include "ns3/agent-application.h"

#include <optional>

namespace ns3
{

/**
 * @brief Answers each call of its node's sender to the congestion control, within the call.
 *
 * Observation: Box of 10 x float64: call (0: the slow start threshold is asked for, 1: the window),
 * congestion state (0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss). Then ssThresh, cWnd, segment
 * size (bytes), segments acknowledged, bytes in flight, last round trip time, its minimum (us),
 * throughput of the last monitor interval (bit/s). Action: Box of 2 x float64: ssThresh, cWnd
 * (bytes); what is not asked for is ignored.
 */
class PerAckAgentApp : public AgentApplication
{
  public:
    /**
     * @param flow That it decides for.
     */
    explicit PerAckAgentApp(Ptr<TcpFlow> flow);

    /**
     * Decide.
     *
     * @param question The question of TCP.
     * @return the answer; nothing after the agent's end
     */
    std::optional<CongestionAnswer> Decide(const CongestionQuestion& question);

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    Ptr<TcpFlow> m_flow; //!< That it decides for
};

} // namespace ns3

#endif // PER_ACK_AGENT_APP_H
