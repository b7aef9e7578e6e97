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
 * @brief Answers each TCP call to its sender's congestion control, within the call.
 *
 * Observation: Box of 10 x float64: call (0: request for the slow start threshold, 1: for the
 * window), congestion state (0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss). Then ssThresh, cWnd,
 * segment size (bytes), segments acknowledged, bytes in flight, last round trip time, its minimum
 * (us), throughput of the last monitor interval (bit/s). Action: Box of 2 x float64: ssThresh, cWnd
 * (bytes); only the requested number is used.
 */
class PerAckAgentApp : public AgentApplication
{
  public:
    /**
     * @param flow Flow of the agent.
     */
    explicit PerAckAgentApp(Ptr<TcpFlow> flow);

    /**
     * Answer a question of TCP.
     *
     * @param question TCP's question.
     * @return the answer; nothing after the agent's end
     */
    std::optional<CongestionAnswer> Decide(const CongestionQuestion& question);

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    Ptr<TcpFlow> m_flow; //!< Flow of the agent
};

} // namespace ns3

#endif // PER_ACK_AGENT_APP_H
