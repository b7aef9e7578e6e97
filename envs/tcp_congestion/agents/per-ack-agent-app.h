// SPDX-License-Identifier: GPL-2.0-only

#ifndef PER_ACK_AGENT_APP_H
#define PER_ACK_AGENT_APP_H

#include "tcp-flow.h"

#include "ns3/agent-application.h"
#include "ns3/tcp-congestion-ops.h"

#include <functional>
#include <optional>

namespace ns3
{

/**
 * @brief TCP's questions to a congestion control.
 */
struct CongestionQuestion
{
    /// The requested number.
    enum Call
    {
        SS_THRESH, //!< Slow start threshold, after a loss
        WINDOW,    //!< Congestion window, after an acknowledgement
    };

    Call call;                             //!< Kind of the decision
    uint32_t segmentsAcked;                //!< WINDOW: newly acknowledged segments
    uint32_t bytesInFlight;                //!< SS_THRESH: TCP's count
    Ptr<const TcpSocketState> socketState; //!< State of the sender's socket
};

/**
 * @brief A congestion control that calls a decider for each number that TCP needs, within TCP's
 * call. Without an answer, it is NewReno.
 */
class PerAckControl : public TcpNewReno
{
  public:
    /// Returns the requested number in bytes, or nothing.
    using Decider = std::function<std::optional<uint32_t>(const CongestionQuestion&)>;

    /**
     * @param decider Called from now on.
     */
    void SetDecider(Decider decider);

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;

  private:
    void DoDispose() override;

    /**
     * @param question TCP's question.
     * @return the requested number in bytes; nothing: no answer
     */
    std::optional<uint32_t> Ask(const CongestionQuestion& question) const;

    Decider m_decider; //!< Decides; may be empty
};

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
     * @return the requested number in bytes; nothing after the agent's end
     */
    std::optional<uint32_t> Decide(const CongestionQuestion& question);

  private:
    void DoDispose() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    Ptr<TcpFlow> m_flow; //!< Flow of the agent
};

} // namespace ns3

#endif // PER_ACK_AGENT_APP_H
