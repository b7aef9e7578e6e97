// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_FEATURES_H
#define FLOW_FEATURES_H

#include "tcp-flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A number of an observation.
 */
struct FlowElement
{
    std::string name; //!< Name
    float low;        //!< Lower bound
    float high;       //!< Upper bound
};

using Elements = std::vector<FlowElement>; //!< The numbers of an observation

constexpr float MOST_SEGMENTS = 1e6; //!< Maximum number of segments
constexpr float MOST_BYTES = 65'535; //!< Maximum size of a segment
constexpr float MOST_MS = 1e5;       //!< Longest time in ms
constexpr float MOST_MBPS = 1e5;     //!< Highest rate in Mb/s
constexpr float MOST_RATIO = 10;     //!< Greatest relative number
constexpr float MOST_LOG = 10;       //!< Greatest logarithm of a ratio
constexpr float MOST_UNITS = 20;     //!< Greatest logarithm of a quantity

const Elements ABSOLUTE{{"slow_start_threshold_segments", 0, MOST_SEGMENTS},
                        {"congestion_window_segments", 0, MOST_SEGMENTS},
                        {"segment_size_bytes", 0, MOST_BYTES},
                        {"acknowledged_segments", 0, MOST_SEGMENTS},
                        {"sent_segments", 0, MOST_SEGMENTS},
                        {"retransmitted_segments", 0, MOST_SEGMENTS},
                        {"in_flight_segments", 0, MOST_SEGMENTS},
                        {"round_trip_time_ms", 0, MOST_MS},
                        {"minimum_round_trip_time_ms", 0, MOST_MS},
                        {"throughput_mbps", 0, MOST_MBPS},
                        {"pacing_rate_mbps", 0, MOST_MBPS}};

const Elements RELATIVE{{"round_trip_time_excess", 0, MOST_RATIO},
                        {"throughput_ratio", 0, 1},
                        {"acknowledged_ratio", 0, MOST_RATIO},
                        {"retransmitted_ratio", 0, 1},
                        {"in_flight_ratio", 0, MOST_RATIO},
                        {"window_ratio", 0, MOST_RATIO}};

const Elements OF_INTERVAL{{"log2_product_ratio", -MOST_LOG, MOST_LOG},
                           {"log2_round_trip_time_ratio", 0, MOST_LOG},
                           {"retransmitted_ratio", 0, 1},
                           {"acknowledged_ratio", 0, MOST_RATIO},
                           {"in_flight_ratio", 0, MOST_RATIO},
                           {"log2_queued_segments", 0, MOST_UNITS},
                           {"log2_window_change", -MOST_LOG, MOST_LOG}};

const Elements OF_FLOW{{"log2_greatest_product_ratio", -MOST_LOG, MOST_LOG},
                       {"log2_recent_product_ratio", -MOST_LOG, MOST_LOG},
                       {"log2_window_segments", 0, MOST_UNITS},
                       {"log2_minimum_round_trip_time_ms", -MOST_LOG, MOST_UNITS},
                       {"log2_time_s", 0, MOST_UNITS}};

/**
 * @param numerator A number.
 * @param denominator A nonnegative number.
 * @return the ratio; 0 for 0 / 0
 */
inline double
Divide(double numerator, double denominator)
{
    return numerator == 0 ? 0 : numerator / std::max(denominator, 1e-9);
}

/**
 * @param numerator A nonnegative number.
 * @param denominator A nonnegative number.
 * @return the logarithm of the ratio; 0 for 0 / 0
 */
inline double
LogRatio(double numerator, double denominator)
{
    if (numerator == 0 && denominator == 0)
    {
        return 0;
    }
    return std::clamp<double>(std::log2(numerator / denominator), -MOST_LOG, MOST_LOG);
}

/**
 * @param sample Sample of a monitor interval.
 * @return numbers in segments, ms and Mb/s
 */
inline std::vector<double>
ComputeAbsolute(const FlowSample& sample)
{
    const double segment = sample.segmentSize;
    return {sample.ssThresh / segment,
            sample.cWnd / segment,
            segment,
            sample.acked,
            sample.sent,
            sample.retransmitted,
            sample.bytesInFlight / segment,
            1e3 * sample.rtt.GetSeconds(),
            1e3 * sample.minRtt.GetSeconds(),
            sample.throughput / 1e6,
            sample.pacingRate / 1e6};
}

/**
 * @brief Computes numbers without units.
 */
class RelativeNumbers
{
  public:
    /**
     * @param sample Sample of the monitor interval that has ended.
     * @return the numbers
     */
    std::vector<double> operator()(const FlowSample& sample)
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

  private:
    double m_greatest{1}; //!< Largest throughput so far, in bit/s
};

/**
 * @brief Computes ratios and logarithms of a flow's last monitor intervals.
 */
class HistoryNumbers
{
  public:
    static constexpr std::size_t INTERVALS = 4; //!< Intervals in an observation

    /**
     * @param sample Sample of the monitor interval that has ended.
     * @return the numbers
     */
    std::vector<double> operator()(const FlowSample& sample)
    {
        const double rtt = sample.rtt.GetSeconds();
        const double minRtt = sample.minRtt.GetSeconds();
        const double window = sample.GetWindow();
        const double product = sample.throughput * minRtt / 8; // in bytes
        const double queued = rtt > 0 ? window * std::max(0.0, 1 - minRtt / rtt) : 0;
        m_greatest = std::max(m_greatest, sample.throughput);
        m_sinceStart += sample.duration;
        m_products.push_front(product);
        m_products.resize(std::min(m_products.size(), RECENT));
        m_intervals.push_front({LogRatio(product, window),
                                LogRatio(rtt, minRtt),
                                Divide(sample.retransmitted, sample.sent),
                                Divide(sample.acked, sample.sent),
                                Divide(sample.bytesInFlight, window),
                                std::log2(1 + queued / sample.segmentSize),
                                m_window > 0 ? LogRatio(window, m_window) : 0});
        m_intervals.resize(INTERVALS);
        m_window = window;

        std::vector<double> values;
        for (const auto& interval : m_intervals)
        {
            values.insert(values.end(), interval.begin(), interval.end());
        }
        values.insert(values.end(),
                      {LogRatio(m_greatest * minRtt / 8, window),
                       LogRatio(*std::max_element(m_products.begin(), m_products.end()), window),
                       std::log2(window / sample.segmentSize),
                       std::log2(1e3 * minRtt),
                       std::log2(1 + m_sinceStart.GetSeconds())});
        return values;
    }

  private:
    static constexpr std::size_t RECENT = 10; //!< Intervals of the recent maximum

    std::deque<std::array<double, 7>> m_intervals; //!< Intervals, newest first
    std::deque<double> m_products;                 //!< Products in bytes, newest first
    double m_greatest{0};                          //!< Largest throughput so far, in bit/s
    double m_window{0};  //!< Window of the last interval, in bytes; 0: none
    Time m_sinceStart{}; //!< Length of all intervals
};

/**
 * @return the numbers of a history
 */
inline Elements
MakeHistoryElements()
{
    Elements elements;
    for (std::size_t ago = 0; ago < HistoryNumbers::INTERVALS; ago++)
    {
        for (auto element : OF_INTERVAL)
        {
            element.name += ago > 0 ? "_" + std::to_string(ago) + "_ago" : "";
            elements.push_back(std::move(element));
        }
    }
    elements.insert(elements.end(), OF_FLOW.begin(), OF_FLOW.end());
    return elements;
}

/**
 * @brief The observation of a flow at the end of a monitor interval.
 *
 * Absolute: ssThresh, cWnd (segments), segment size (bytes), acknowledged, sent, retransmitted, in
 * flight (segments), round trip time and its minimum (ms), throughput and pacing rate (Mb/s).
 *
 * Relative, numbers without units: round trip time / minimum - 1, throughput / greatest throughput
 * so far, acknowledged / sent, retransmitted / sent. The last two numbers are divided by the
 * greatest throughput x minimum round trip time: in flight, and the window, or pacing rate x
 * minimum round trip time.
 *
 * History, ratios and logarithms (base 2) that do not depend on the rate of the link. For each of
 * the last four intervals, newest first: log2(product / window), log2(round trip time / minimum),
 * retransmitted / sent, acknowledged / sent, in flight / window, log2(1 + segments in queues, by
 * Little's law), log2(window / window before). For the flow: log2(greatest product so far /
 * window), log2(greatest product of the last ten intervals / window), log2(window in segments),
 * log2(minimum round trip time in ms), log2(1 + seconds since the first interval). The product of
 * an interval is its throughput x the minimum round trip time. The window is the congestion window,
 * or the pacing rate x the minimum round trip time. Intervals before the first one are zeros.
 */
class FlowFeatures
{
  public:
    /**
     * @param observation absolute, relative or history.
     */
    explicit FlowFeatures(const std::string& observation)
        : m_elements(ABSOLUTE),
          m_compute(ComputeAbsolute)
    {
        if (observation == "history")
        {
            m_elements = MakeHistoryElements();
            m_compute = HistoryNumbers();
        }
        else if (observation == "relative")
        {
            m_elements = RELATIVE;
            m_compute = RelativeNumbers();
        }
    }

    /**
     * @param sample Sample of a monitor interval.
     * @return the observation, within the bounds
     */
    std::vector<float> Make(const FlowSample& sample)
    {
        std::vector<float> observation;
        for (const auto value : m_compute(sample))
        {
            const auto& element = m_elements[observation.size()];
            observation.push_back(std::clamp(static_cast<float>(value), element.low, element.high));
        }
        return observation;
    }

    /// @return the numbers of an observation
    const std::vector<FlowElement>& GetElements() const
    {
        return m_elements;
    }

  private:
    std::vector<FlowElement> m_elements; //!< Names and bounds of the numbers
    /// Computes the numbers of the next interval, with the state of the flow so far.
    std::function<std::vector<double>(const FlowSample&)> m_compute;
};

} // namespace ns3

#endif // FLOW_FEATURES_H
