// SPDX-License-Identifier: GPL-2.0-only

#ifndef WINDOW_AGENT_APP_H
#define WINDOW_AGENT_APP_H

#include "cell-statistics.h"
#include "periodic-agent-application.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The last collision rates that an agent received, and their statistics in windows.
 *
 * A window is half as long as the history, and begins a quarter of the history after the previous
 * window. So the history has four windows, oldest first, and the last window is half empty. Before
 * the first sample all statistics are 0; the first sample also fills the older part of the history.
 */
class CollisionHistory
{
  public:
    static constexpr uint32_t WINDOWS = 4; //!< Number of windows

    /**
     * @param samples Number of samples; a multiple of WINDOWS.
     */
    explicit CollisionHistory(uint32_t samples)
        : m_size(samples)
    {
    }

    /**
     * Add the transmissions since the last sample. Without transmissions, the last rate is added
     * again.
     *
     * @param transmissions Transmissions of data frames.
     * @param failures Number of these frames without acknowledgement.
     * @param exponent Exponent at that time, from 0 to 1.
     */
    void Add(uint64_t transmissions, uint64_t failures, double exponent)
    {
        if (transmissions > 0)
        {
            m_last = static_cast<double>(failures) / transmissions;
        }
        const Sample sample{m_last, exponent};
        m_samples.resize(m_size, sample);
        m_samples.pop_front();
        m_samples.push_back(sample);
    }

    /**
     * @param withExponent Whether to add the mean exponent of each window.
     * @return mean and standard deviation of the rates of each window, in the order of windows
     */
    std::vector<float> Summarise(bool withExponent) const
    {
        std::vector<float> summary;
        if (m_samples.empty())
        {
            summary.resize(WINDOWS * (withExponent ? 3 : 2));
            return summary;
        }
        const uint32_t stride = m_size / WINDOWS;
        for (uint32_t begin = 0; begin < m_size; begin += stride)
        {
            const uint32_t end = std::min(begin + 2 * stride, m_size);
            double sum = 0;
            double squares = 0;
            double exponents = 0;
            for (uint32_t i = begin; i < end; i++)
            {
                const auto& sample = m_samples[i];
                sum += sample.rate;
                squares += sample.rate * sample.rate;
                exponents += sample.exponent;
            }
            const double mean = sum / (end - begin);
            const double variance = squares / (end - begin) - mean * mean;
            summary.push_back(mean);
            summary.push_back(std::sqrt(std::max(variance, 0.)));
            if (withExponent)
            {
                summary.push_back(exponents / (end - begin));
            }
        }
        return summary;
    }

    /**
     * @return the last rate
     */
    double GetLast() const
    {
        return m_last;
    }

  private:
    /// A sample.
    struct Sample
    {
        double rate;     //!< Failures per transmission
        double exponent; //!< Exponent at that time, from 0 to 1
    };

    uint32_t m_size;              //!< Number of samples
    std::deque<Sample> m_samples; //!< Samples, oldest first; empty at first
    double m_last{0};             //!< The last rate
};

/**
 * @brief The choice of contention windows by agents.
 */
struct WindowChoice
{
    Time interval{MilliSeconds(10)}; //!< Time between two decisions
    uint32_t samples{300};           //!< Collision rates in an observation, one per decision
    bool continuous{false};          //!< Whether an action is a real number
    bool observesActions{false};     //!< Whether an agent observes its own actions
};

/**
 * @brief Chooses the contention window of a station, or of all stations.
 *
 * It decides at its start, and then at an interval, by the latest counts of its stations'
 * transmitted and failed frames. An agent with a later start time joins then.
 *
 * Observation: Box of float32, for each window of CollisionHistory the mean and the standard
 * deviation of the collision rate and, if the agent observes its actions, their mean from 0 to 1.
 * Action: Discrete(7) or Box of 1 x float32 from 0 to 6, see GetWindow().
 *
 * Its infos report the state of the cell, independently of messages: `stations` (that have joined),
 * and for the last interval `throughput` (Mb/s), `airtime`, and `window` (slots, CWmin) and
 * `collision_rate` of the last sample. A central agent also has `throughputs`, `airtimes` and
 * `windows` of all stations. A station that has not joined has window 0.
 */
class WindowAgentApp : public PeriodicAgentApplication
{
  public:
    static constexpr uint32_t EXPONENTS = 7; //!< Number of windows to choose from

    /**
     * @param action An action of an agent.
     * @return the exponent, from 0 to 6
     */
    static double ReadExponent(Ptr<OpenGymDataContainer> action)
    {
        if (const auto box = DynamicCast<OpenGymBoxContainer<float>>(action))
        {
            return box->GetValue(0);
        }
        return action->GetObject<OpenGymDiscreteContainer>()->GetValue();
    }

    /**
     * @param exponent An action, from 0 to 6.
     * @return its contention window: 2^(exponent + 4) - 1 slots, rounded
     */
    static uint32_t GetWindow(double exponent)
    {
        return std::lround(std::exp2(exponent + 4)) - 1;
    }

    /**
     * @param choice Parameters of decisions.
     * @param statistics Statistics of the cell; they live as long as the simulation.
     * @param station Number of the agent's station; none: all.
     */
    WindowAgentApp(const WindowChoice& choice,
                   const CellStatistics& statistics,
                   std::optional<uint32_t> station)
        : PeriodicAgentApplication({}, choice.interval),
          m_choice(choice),
          m_statistics(statistics),
          m_station(station)
    {
    }

    void Setup() override
    {
        if (m_startTime.IsZero())
        {
            AgentApplication::Setup();
        }
    }

  private:
    void StartApplication() override
    {
        AgentApplication::Setup();
        m_history.emplace(m_choice.samples);
        PeriodicAgentApplication::StartApplication();
    }

    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        const auto frames = message->Get("frames")->GetObject<OpenGymBoxContainer<uint32_t>>();
        m_transmissions += frames->GetValue(0);
        m_failures += frames->GetValue(1);
        m_reported = true;
    }

    Ptr<OpenGymDataContainer> Summarise() override
    {
        if (std::exchange(m_decided, true))
        {
            if (m_reported)
            {
                m_history->Add(m_transmissions, m_failures, m_exponent);
            }
            m_transmissions = 0;
            m_failures = 0;
        }
        return MakeBoxContainer(m_history->Summarise(m_choice.observesActions));
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(CollisionHistory::WINDOWS * (m_choice.observesActions ? 3 : 2),
                                   0,
                                   1);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        if (m_choice.continuous)
        {
            return MakeBoxSpace<float>(1, 0, EXPONENTS - 1);
        }
        return MakeDiscreteSpace(EXPONENTS);
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        m_exponent = ReadExponent(action) / (EXPONENTS - 1);
        AgentApplication::InitiateAction(action);
    }

    OpenGymInfo GetExtraInfo() override
    {
        OpenGymInfo info{{"stations", int64_t{m_statistics.CountJoined()}},
                         {"collision_rate", m_history ? m_history->GetLast() : 0.}};
        if (m_station)
        {
            info["throughput"] = m_statistics.GetThroughput(*m_station);
            info["airtime"] = m_statistics.GetAirtime(*m_station);
            info["window"] = int64_t{m_statistics.GetStations()[*m_station]->GetWindow()};
            return info;
        }
        double throughput = 0;
        double airtime = 0;
        std::vector<float> throughputs;
        std::vector<float> airtimes;
        std::vector<int32_t> windows;
        const auto& stations = m_statistics.GetStations();
        for (uint32_t i = 0; i < stations.size(); i++)
        {
            throughput += m_statistics.GetThroughput(i);
            airtime += m_statistics.GetAirtime(i);
            throughputs.push_back(m_statistics.GetThroughput(i));
            airtimes.push_back(m_statistics.GetAirtime(i));
            windows.push_back(stations[i]->HasJoined() ? stations[i]->GetWindow() : 0);
        }
        info["throughput"] = throughput;
        info["airtime"] = airtime;
        info["window"] = int64_t{windows.front()};
        info["throughputs"] = MakeBoxContainer(std::move(throughputs));
        info["airtimes"] = MakeBoxContainer(std::move(airtimes));
        info["windows"] = MakeBoxContainer(std::move(windows));
        return info;
    }

    WindowChoice m_choice;                     //!< Parameters of decisions
    const CellStatistics& m_statistics;        //!< Statistics of the cell
    std::optional<uint32_t> m_station;         //!< Station of the agent; none: all
    std::optional<CollisionHistory> m_history; //!< Reported collisions
    uint64_t m_transmissions{0};               //!< Transmissions since the last decision
    uint64_t m_failures{0};                    //!< Failures since the last decision
    double m_exponent{0};                      //!< Last action, from 0 to 1
    bool m_decided{false};                     //!< Whether it has decided once
    bool m_reported{false};                    //!< A report has arrived; before, nothing is known
};

} // namespace ns3

#endif // WINDOW_AGENT_APP_H
