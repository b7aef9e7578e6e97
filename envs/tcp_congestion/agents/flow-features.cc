// SPDX-License-Identifier: GPL-2.0-only

#include "flow-features.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr float MOST_SEGMENTS = 1e6; //!< Maximum number of segments
constexpr float MOST_BYTES = 65'535; //!< Maximum size of a segment
constexpr float MOST_MS = 1e5;       //!< Longest time in ms
constexpr float MOST_MBPS = 1e5;     //!< Highest rate in Mb/s
constexpr float MOST_RATIO = 10;     //!< Greatest relative number

const std::vector<float> ABSOLUTE{MOST_SEGMENTS,
                                  MOST_SEGMENTS,
                                  MOST_BYTES,
                                  MOST_SEGMENTS,
                                  MOST_SEGMENTS,
                                  MOST_SEGMENTS,
                                  MOST_SEGMENTS,
                                  MOST_MS,
                                  MOST_MS,
                                  MOST_MBPS,
                                  MOST_MBPS};
const std::vector<std::string> ABSOLUTE_NAMES{"slow_start_threshold_segments",
                                              "congestion_window_segments",
                                              "segment_size_bytes",
                                              "acknowledged_segments",
                                              "sent_segments",
                                              "retransmitted_segments",
                                              "in_flight_segments",
                                              "round_trip_time_ms",
                                              "minimum_round_trip_time_ms",
                                              "throughput_mbps",
                                              "pacing_rate_mbps"};

const std::vector<float> RELATIVE{MOST_RATIO, 1.0F, MOST_RATIO, 1.0F, MOST_RATIO, MOST_RATIO};
const std::vector<std::string> RELATIVE_NAMES{"round_trip_time_excess",
                                              "throughput_ratio",
                                              "acknowledged_ratio",
                                              "retransmitted_ratio",
                                              "in_flight_ratio",
                                              "window_ratio"};

} // namespace

FlowFeatures::FlowFeatures(std::string observation)
    : m_observation(std::move(observation))
{
}

std::vector<float>
FlowFeatures::GetLow() const
{
    return m_observation == "history" ? FlowHistory::GetLow()
                                      : std::vector<float>(GetHigh().size());
}

const std::vector<float>&
FlowFeatures::GetHigh() const
{
    if (m_observation == "history")
    {
        return FlowHistory::GetHigh();
    }
    return m_observation == "relative" ? RELATIVE : ABSOLUTE;
}

const std::vector<std::string>&
FlowFeatures::GetNames() const
{
    if (m_observation == "history")
    {
        return FlowHistory::GetNames();
    }
    return m_observation == "relative" ? RELATIVE_NAMES : ABSOLUTE_NAMES;
}

double
FlowFeatures::Divide(double numerator, double denominator)
{
    return numerator == 0 ? 0 : numerator / std::max(denominator, 1e-9);
}

std::vector<float>
FlowFeatures::Clamp(const std::vector<double>& values,
                    const std::vector<float>& low,
                    const std::vector<float>& high)
{
    std::vector<float> clamped(values.size());
    for (std::size_t i = 0; i < values.size(); i++)
    {
        clamped[i] = std::clamp(static_cast<float>(values[i]), low[i], high[i]);
    }
    return clamped;
}

std::vector<float>
FlowFeatures::Make(const FlowSample& sample)
{
    if (m_observation == "history")
    {
        return m_history.Make(sample);
    }
    if (m_observation == "relative")
    {
        return Clamp(MakeRelative(sample), GetLow(), GetHigh());
    }
    const double segment = sample.segmentSize;
    return Clamp({sample.ssThresh / segment,
                  sample.cWnd / segment,
                  segment,
                  sample.acked,
                  sample.sent,
                  sample.retransmitted,
                  sample.bytesInFlight / segment,
                  1e3 * sample.rtt.GetSeconds(),
                  1e3 * sample.minRtt.GetSeconds(),
                  sample.throughput / 1e6,
                  sample.pacingRate / 1e6},
                 GetLow(),
                 GetHigh());
}

std::vector<double>
FlowFeatures::MakeRelative(const FlowSample& sample)
{
    const double minRtt = sample.minRtt.GetSeconds();
    m_greatest = std::max(m_greatest, sample.throughput);
    const double product = m_greatest * minRtt / 8; // in bytes
    return {Divide(sample.rtt.GetSeconds(), minRtt) - 1,
            sample.throughput / m_greatest,
            Divide(sample.acked, sample.sent),
            Divide(sample.retransmitted, sample.sent),
            Divide(sample.bytesInFlight, product),
            Divide(sample.GetWindow(), product)};
}

} // namespace ns3
