// SPDX-License-Identifier: GPL-2.0-only

#include "trace-format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr double MOST_OPPORTUNITIES = 1e7;                   //!< Limit for a file with capacities
constexpr double OPPORTUNITY_BITS = 8.0 * OPPORTUNITY_BYTES; //!< Bits of an opportunity
constexpr const char* BLANKS = " \t\v\f\r";                  //!< Characters between numbers

/**
 * @param text A line of a trace.
 * @param columns Number of columns of the lines before; 0: none.
 * @return its numbers; nothing if they are malformed
 */
std::vector<double>
ReadRow(const std::string& text, std::size_t columns)
{
    std::vector<double> values;
    std::istringstream words(text);
    for (std::string word; words >> word && values.size() < 3;)
    {
        const auto* end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(word.data(), end, values.emplace_back());
        if (error != std::errc() || rest != end || !(values.back() >= 0) ||
            std::isinf(values.back()))
        {
            return {};
        }
    }
    const bool isWhole =
        text.find_first_not_of(std::string("0123456789") + BLANKS) == std::string::npos;
    const bool isTime = values.size() == 2 || (isWhole && values[0] <= UINT32_MAX);
    const bool isSame = columns == 0 || values.size() == columns;
    return isTime && isSame && values.size() <= 2 ? values : std::vector<double>();
}

/** Capacities, and the opportunities that they make. */
class Capacities
{
  public:
    /**
     * Add a row.
     *
     * @param time Time in s.
     * @param mbps Capacity in Mb/s since the row before.
     * @return a fault, or an empty string
     */
    std::string Add(double time, double mbps)
    {
        m_start = m_rows++ == 0 ? time : m_start;
        const auto before = std::exchange(m_time, time);
        if (m_rows == 1)
        {
            return "";
        }
        const auto first = m_bits;
        m_bits += 1e6 * mbps * (time - before);
        std::ostringstream fault;
        if (time <= before)
        {
            fault << "has " << time << " s after " << before << " s";
        }
        else if (m_bits > MOST_OPPORTUNITIES * OPPORTUNITY_BITS)
        {
            fault << "delivers more than " << static_cast<uint32_t>(MOST_OPPORTUNITIES)
                  << " packets";
        }
        else if (1000 * (time - m_start) > UINT32_MAX)
        {
            fault << "ends after " << UINT32_MAX << " ms";
        }
        const auto count = fault.str().empty() ? CountComplete(m_bits) : 0;
        for (auto i = CountComplete(first); i < count; i++)
        {
            const auto bits = OPPORTUNITY_BITS * (i + 1) - first;
            const auto share = std::min(bits / (m_bits - first), 1.0);
            const auto seconds = before - m_start + share * (time - before);
            m_times.push_back(static_cast<uint32_t>(std::ceil(1000 * seconds - 1e-6)));
        }
        return fault.str();
    }

    /**
     * @param fault Set to a fault, or to an empty string.
     * @return the times of opportunities in ms; the last is the end
     */
    std::vector<uint32_t> Finish(std::string& fault)
    {
        const auto end = static_cast<uint32_t>(std::lrint(1000 * (m_time - m_start)));
        fault = end == 0 ? "has only one time: a capacity holds between two times" : "";
        if (m_times.empty() || m_times.back() != end)
        {
            m_times.push_back(m_times.empty() ? end : std::max(end, m_times.back()));
        }
        return std::move(m_times);
    }

  private:
    /**
     * @param bits Bits, with what sums of floating-point numbers lose.
     * @return complete opportunities
     */
    static double CountComplete(double bits)
    {
        return std::floor((bits + 1e-3) / OPPORTUNITY_BITS);
    }

    std::size_t m_rows{0};         //!< Number of rows
    double m_start{0};             //!< Time of the first row in s
    double m_time{0};              //!< Time of the last row in s
    double m_bits{0};              //!< Bits from the start to that time
    std::vector<uint32_t> m_times; //!< Times of opportunities in ms
};

} // namespace

std::vector<uint32_t>
ParseTrace(const std::string& content, std::string& fault)
{
    std::istringstream file(content);
    Capacities capacities;
    std::vector<uint32_t> times;
    std::vector<std::size_t> lines;
    std::size_t columns = 0;
    std::size_t number = 1;
    for (std::string line; std::getline(file, line); number++)
    {
        if (line.find_first_not_of(BLANKS) == std::string::npos)
        {
            continue;
        }
        const auto row = ReadRow(line, columns);
        const auto place = " in line " + std::to_string(number);
        if (row.empty())
        {
            fault = "has '" + line.substr(0, 60) + "'" + place +
                    "; each line must be a whole number of milliseconds, or each line a time in s "
                    "and a capacity in Mb/s";
            return {};
        }
        columns = row.size();
        if (columns == 1)
        {
            times.push_back(static_cast<uint32_t>(row[0]));
            lines.push_back(number);
        }
        else if (fault = capacities.Add(row[0], row[1]); !fault.empty())
        {
            fault += place;
            return {};
        }
    }
    if (columns == 2)
    {
        return capacities.Finish(fault);
    }
    fault = FindTraceFault(times, lines);
    return times;
}

std::string
FindTraceFault(const std::vector<uint32_t>& times, const std::vector<std::size_t>& lines)
{
    const auto earlier = std::adjacent_find(times.begin(), times.end(), std::greater<>());
    if (earlier != times.end())
    {
        const std::size_t next = earlier - times.begin() + 1;
        return "goes back from " + std::to_string(*earlier) + " to " + std::to_string(times[next]) +
               " ms in line " + std::to_string(lines.empty() ? next + 1 : lines[next]);
    }
    return times.empty() || times.back() == 0 ? "must end above 0 ms, where it repeats" : "";
}

} // namespace ns3
