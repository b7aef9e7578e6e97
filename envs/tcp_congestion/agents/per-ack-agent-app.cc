// SPDX-License-Identifier: GPL-2.0-only

#include "per-ack-agent-app.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr double LARGEST = std::numeric_limits<uint32_t>::max();
constexpr double LONGEST = 1e9;       //!< Longest round trip time in us
constexpr double HIGHEST_RATE = 1e11; //!< Highest rate in bit/s

} // namespace

void
PerAckControl::DoDispose()
{
    m_decider = nullptr;
    TcpNewReno::DoDispose();
}

void
PerAckControl::SetDecider(Decider decider)
{
    m_decider = std::move(decider);
}

std::string
PerAckControl::GetName() const
{
    return "PerAckControl";
}

std::optional<uint32_t>
PerAckControl::Ask(const CongestionQuestion& question) const
{
    return m_decider ? m_decider(question) : std::nullopt;
}

uint32_t
PerAckControl::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const auto answer = Ask({CongestionQuestion::SS_THRESH, 0, bytesInFlight, tcb});
    return answer ? *answer : TcpNewReno::GetSsThresh(tcb, bytesInFlight);
}

void
PerAckControl::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const auto answer = Ask({CongestionQuestion::WINDOW, segmentsAcked, tcb->m_bytesInFlight, tcb});
    if (!answer)
    {
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
        return;
    }
    // Without a segment in the window there would be no acknowledgement, and no next question.
    tcb->m_cWnd = std::max(*answer, tcb->m_segmentSize);
}

PerAckAgentApp::PerAckAgentApp(Ptr<TcpFlow> flow)
    : m_flow(flow)
{
    flow->TraceConnectWithoutContext("Left", MakeCallback(&PerAckAgentApp::Terminate, this));
}

void
PerAckAgentApp::DoDispose()
{
    m_flow = nullptr;
    AgentApplication::DoDispose();
}

std::optional<uint32_t>
PerAckAgentApp::Decide(const CongestionQuestion& question)
{
    const auto& state = *question.socketState;
    const auto minRtt = state.m_minRtt == Time::Max() ? Time() : state.m_minRtt;
    m_observation = MakeBoxContainer(std::vector<double>{
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
    });
    const auto action = RequestAction();
    if (!action)
    {
        return std::nullopt;
    }
    const auto numbers = DynamicCast<OpenGymBoxContainer<double>>(action);
    return static_cast<uint32_t>(std::clamp(numbers->GetValue(question.call), 0.0, LARGEST));
}

Ptr<OpenGymSpace>
PerAckAgentApp::GetObservationSpace()
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

Ptr<OpenGymSpace>
PerAckAgentApp::GetActionSpace()
{
    const auto space = MakeBoxSpace<double>(2, 0, LARGEST);
    space->SetElementNames({"slow_start_threshold_bytes", "congestion_window_bytes"});
    return space;
}

OpenGymInfo
PerAckAgentApp::GetExtraInfo()
{
    return HasEnded() ? AgentApplication::GetExtraInfo() : OpenGymInfo();
}

} // namespace ns3
