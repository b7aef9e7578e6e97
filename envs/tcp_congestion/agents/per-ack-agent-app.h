// SPDX-License-Identifier: GPL-2.0-only

#ifndef PER_ACK_AGENT_APP_H
#define PER_ACK_AGENT_APP_H

#include "asked-agent-application.h"
#include "tcp-flow.h"

#include "ns3/opengym-builders.h"
#include "ns3/tcp-congestion-ops.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

constexpr double LARGEST = std::numeric_limits<uint32_t>::max();
constexpr double LONGEST = 1e9;       //!< Longest round trip time in us
constexpr double HIGHEST_RATE = 1e11; //!< Highest rate in bit/s

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
    void SetDecider(Decider decider)
    {
        m_decider = std::move(decider);
    }

    std::string GetName() const override
    {
        return "PerAckControl";
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        const auto answer = Ask({CongestionQuestion::SS_THRESH, 0, bytesInFlight, tcb});
        return answer ? *answer : TcpNewReno::GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const auto answer =
            Ask({CongestionQuestion::WINDOW, segmentsAcked, tcb->m_bytesInFlight, tcb});
        if (!answer)
        {
            TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
            return;
        }
        // Without a segment in the window there would be no acknowledgement, and no next question.
        tcb->m_cWnd = std::max(*answer, tcb->m_segmentSize);
    }

  private:
    void DoDispose() override
    {
        m_decider = nullptr;
        TcpNewReno::DoDispose();
    }

    /**
     * @param question TCP's question.
     * @return the requested number in bytes; nothing: no answer
     */
    std::optional<uint32_t> Ask(const CongestionQuestion& question) const
    {
        return m_decider ? m_decider(question) : std::nullopt;
    }

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
class PerAckAgentApp : public AskedAgentApplication
{
  public:
    /**
     * @param flow Flow of the agent.
     */
    explicit PerAckAgentApp(Ptr<TcpFlow> flow)
        : AskedAgentApplication(MakeObservations(), MakeActions()),
          m_flow(flow)
    {
        flow->TraceConnectWithoutContext("Left", MakeCallback(&PerAckAgentApp::Terminate, this));
    }

    /**
     * Answer a question of TCP.
     *
     * @param question TCP's question.
     * @return the requested number in bytes; nothing after the agent's end
     */
    std::optional<uint32_t> Decide(const CongestionQuestion& question)
    {
        const auto& state = *question.socketState;
        const auto minRtt = state.m_minRtt == Time::Max() ? Time() : state.m_minRtt;
        const auto action = Ask(MakeBoxContainer(std::vector<double>{
            double(question.call),
            double(state.m_congState.Get()),
            double(state.m_ssThresh),
            double(state.m_cWnd),
            double(state.m_segmentSize),
            double(question.segmentsAcked),
            double(question.bytesInFlight),
            std::min(LONGEST, double(state.m_lastRtt.Get().GetMicroSeconds())),
            std::min(LONGEST, double(minRtt.GetMicroSeconds())),
            std::min(HIGHEST_RATE, m_flow->GetSample().throughput),
        }));
        if (!action)
        {
            return std::nullopt;
        }
        const auto numbers = DynamicCast<OpenGymBoxContainer<double>>(action);
        return static_cast<uint32_t>(std::clamp(numbers->GetValue(question.call), 0.0, LARGEST));
    }

  private:
    /// @return the space of observations
    static Ptr<OpenGymSpace> MakeObservations()
    {
        const std::vector<double>
            high{1, 4, LARGEST, LARGEST, LARGEST, LARGEST, LARGEST, LONGEST, LONGEST, HIGHEST_RATE};
        const auto space = MakeBoxSpace(std::vector<double>(high.size()), high);
        space->SetElementNames({"call",
                                "congestion_state",
                                "slow_start_threshold_bytes",
                                "congestion_window_bytes",
                                "segment_size_bytes",
                                "acknowledged_segments",
                                "in_flight_bytes",
                                "round_trip_time_us",
                                "minimum_round_trip_time_us",
                                "throughput_bps"});
        return space;
    }

    /// @return the space of actions
    static Ptr<OpenGymSpace> MakeActions()
    {
        const auto space = MakeBoxSpace<double>(2, 0, LARGEST);
        space->SetElementNames({"slow_start_threshold_bytes", "congestion_window_bytes"});
        return space;
    }

    OpenGymInfo GetExtraInfo() override
    {
        return HasEnded() ? AgentApplication::GetExtraInfo() : OpenGymInfo();
    }

    Ptr<TcpFlow> m_flow; //!< Flow of the agent
};

} // namespace ns3

#endif // PER_ACK_AGENT_APP_H
