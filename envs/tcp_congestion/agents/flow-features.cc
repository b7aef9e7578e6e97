// SPDX-License-Identifier: GPL-2.0-only

#include "flow-features.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr float MOST_SEGMENTS = 1e6; //!< Most segments
constexpr float MOST_BYTES = 65'535; //!< Most bytes of a segment
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

/**
 * @param numerator A number.
 * @param denominator Another one, not negative.
 * @return their ratio; of 0 and 0 it is 0
 */
double
Divide(double numerator, double denominator)
{
    return numerator == 0 ? 0 : numerator / std::max(denominator, 1e-9);
}

} // namespace

FlowFeatures::FlowFeatures(bool relative)
    : m_relative(relative)
{
}

const std::vector<float>&
FlowFeatures::GetHigh() const
{
    return m_relative ? RELATIVE : ABSOLUTE;
}

const std::vector<std::string>&
FlowFeatures::GetNames() const
{
    return m_relative ? RELATIVE_NAMES : ABSOLUTE_NAMES;
}

std::vector<float>
FlowFeatures::Make(const FlowSample& sample)
{
    const double segment = sample.segmentSize;
    const double rtt = sample.rtt.GetSeconds();
    const double minRtt = sample.minRtt.GetSeconds();
    std::vector<double> values;
    if (m_relative)
    {
        m_greatest = std::max(m_greatest, sample.throughput);
        const double product = m_greatest * minRtt / 8; // in bytes
        const double allowed = sample.pacingRate > 0 ? sample.pacingRate * minRtt / 8 : sample.cWnd;
        values = {Divide(rtt, minRtt) - 1,
                  sample.throughput / m_greatest,
                  Divide(sample.acked, sample.sent),
                  Divide(sample.retransmitted, sample.sent),
                  Divide(sample.bytesInFlight, product),
                  Divide(allowed, product)};
    }
    else
    {
        values = {sample.ssThresh / segment,
                  sample.cWnd / segment,
                  segment,
                  sample.acked,
                  sample.sent,
                  sample.retransmitted,
                  sample.bytesInFlight / segment,
                  1e3 * rtt,
                  1e3 * minRtt,
                  sample.throughput / 1e6,
                  sample.pacingRate / 1e6};
    }
    const auto& high = GetHigh();
    std::vector<float> seen(high.size());
    for (std::size_t i = 0; i < high.size(); i++)
    {
        seen[i] = std::clamp(static_cast<float>(values[i]), 0.0F, high[i]);
    }
    return seen;
}

} // namespace ns3
