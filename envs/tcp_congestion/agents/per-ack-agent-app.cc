// SPDX-License-Identifier: GPL-2.0-only

#include "per-ack-agent-app.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ns3
{

namespace
{

constexpr double LARGEST = std::numeric_limits<uint32_t>::max();
constexpr double LONGEST = 1e9;       //!< Longest round trip time in us
constexpr double HIGHEST_RATE = 1e11; //!< Highest rate in bit/s

} // namespace

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

std::optional<CongestionAnswer>
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
    const auto get = [&numbers](uint32_t i) {
        return static_cast<uint32_t>(std::clamp(numbers->GetValue(i), 0.0, LARGEST));
    };
    return CongestionAnswer{get(0), get(1)};
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
