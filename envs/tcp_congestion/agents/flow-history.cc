// SPDX-License-Identifier: GPL-2.0-only

#include "flow-history.h"

#include "flow-features.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @brief A number of an observation.
 */
struct Element
{
    std::string name; //!< Name
    float low;        //!< Lower bound
    float high;       //!< Upper bound
};

constexpr float MOST_LOG = 10;   //!< Greatest logarithm of a ratio
constexpr float MOST_UNITS = 20; //!< Greatest logarithm of a quantity

/**
 * @return the numbers of an observation
 */
std::vector<Element>
MakeElements()
{
    const std::array<Element, FlowHistory::PER_INTERVAL> ofInterval{
        {{"log2_product_ratio", -MOST_LOG, MOST_LOG},
         {"log2_round_trip_time_ratio", 0, MOST_LOG},
         {"retransmitted_ratio", 0, 1},
         {"acknowledged_ratio", 0, MOST_LOG},
         {"in_flight_ratio", 0, MOST_LOG},
         {"log2_queued_segments", 0, MOST_UNITS},
         {"log2_window_change", -MOST_LOG, MOST_LOG}}};
    std::vector<Element> elements;
    for (std::size_t ago = 0; ago < FlowHistory::INTERVALS; ago++)
    {
        for (auto element : ofInterval)
        {
            element.name += ago > 0 ? "_" + std::to_string(ago) + "_ago" : "";
            elements.push_back(std::move(element));
        }
    }
    elements.insert(elements.end(),
                    {{"log2_greatest_product_ratio", -MOST_LOG, MOST_LOG},
                     {"log2_recent_product_ratio", -MOST_LOG, MOST_LOG},
                     {"log2_window_segments", 0, MOST_UNITS},
                     {"log2_minimum_round_trip_time_ms", -MOST_LOG, MOST_UNITS},
                     {"log2_time_s", 0, MOST_UNITS}});
    return elements;
}

/**
 * @tparam T Type of the member.
 * @param member The member.
 * @return the member of each element of an observation
 */
template <typename T>
std::vector<T>
OfEach(T Element::*member)
{
    std::vector<T> taken;
    for (const auto& element : MakeElements())
    {
        taken.push_back(element.*member);
    }
    return taken;
}

/**
 * @param numerator A nonnegative number.
 * @param denominator A nonnegative number.
 * @return the logarithm of the ratio; 0 for 0 / 0
 */
double
LogRatio(double numerator, double denominator)
{
    if (numerator == 0 && denominator == 0)
    {
        return 0;
    }
    return std::clamp<double>(std::log2(numerator / denominator), -MOST_LOG, MOST_LOG);
}

} // namespace

const std::vector<float>&
FlowHistory::GetLow()
{
    static const auto low = OfEach(&Element::low);
    return low;
}

const std::vector<float>&
FlowHistory::GetHigh()
{
    static const auto high = OfEach(&Element::high);
    return high;
}

const std::vector<std::string>&
FlowHistory::GetNames()
{
    static const auto names = OfEach(&Element::name);
    return names;
}

std::vector<float>
FlowHistory::Make(const FlowSample& sample)
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
                            FlowFeatures::Divide(sample.retransmitted, sample.sent),
                            FlowFeatures::Divide(sample.acked, sample.sent),
                            FlowFeatures::Divide(sample.bytesInFlight, window),
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
    return FlowFeatures::Clamp(values, GetLow(), GetHigh());
}

} // namespace ns3
