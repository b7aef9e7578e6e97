// SPDX-License-Identifier: GPL-2.0-only

#ifndef INFERENCE_QUEUE_PARAMETERS_H
#define INFERENCE_QUEUE_PARAMETERS_H

#include "ns3/double.h"
#include "ns3/inference-queue.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-per-agent.h"
#include "ns3/rl-simulation.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Parameters of a scenario for the processors of its agents.
 *
 * Declare() adds `workers`, `service_time`, `service_time_distribution`, `slowdown`, `buffer_size`
 * and `full_buffer`, each with a value for all agents or one for each. With the defaults, agents
 * have no queue and decide at once.
 *
 * @code
 * InferenceQueueParameters inference;
 * inference.Declare(simulation); // before Parse()
 * const auto contradiction = inference.FindContradiction({"agent_0", "agent_1"}); // after it
 * helper.SetAttribute("InferenceQueue", PointerValue(inference.MakeQueue("agent_0")));
 * @endcode
 */
class InferenceQueueParameters
{
  public:
    /**
     * @brief Declare the parameters.
     * @param simulation the scenario
     */
    void Declare(RlSimulation& simulation)
    {
        simulation.AddValuePerAgent(
            "workers",
            "Number of decisions that an agent makes at the same time; 0: no limit.",
            m_workers,
            0,
            1000000);
        simulation.AddValuePerAgent("service_time",
                                    "Mean time that a worker of an agent takes for a decision.",
                                    m_serviceTime,
                                    Time(0),
                                    Seconds(3600));
        simulation.AddChoicePerAgent("service_time_distribution",
                                     "Distribution of service times around their mean.",
                                     m_distribution,
                                     {"constant", "exponential"});
        simulation.AddValuePerAgent(
            "slowdown",
            "With n busy workers, each takes 1 + slowdown (n - 1) times as long: 0: workers are "
            "independent; 1: they share one processor.",
            m_slowdown,
            0,
            1000);
        simulation.AddValuePerAgent("buffer_size",
                                    "Number of decisions that may wait for a worker; -1: no limit.",
                                    m_bufferSize,
                                    -1,
                                    1000000);
        simulation.AddChoicePerAgent(
            "full_buffer",
            "Policy for a decision when the buffer is full.",
            m_fullBuffer,
            {"drop_newest", "drop_oldest", "keep_latest_per_source", "block"});
    }

    /**
     * @brief Find a contradiction between the values.
     * @param agents names of all possible agents
     * @return a contradiction and its remedy; or an empty string
     */
    std::string FindContradiction(const std::vector<std::string>& agents) const
    {
        std::vector<std::string> faults{
            m_workers.FindStranger("workers", agents),
            m_serviceTime.FindStranger("service_time", agents),
            m_distribution.FindStranger("service_time_distribution", agents),
            m_slowdown.FindStranger("slowdown", agents),
            m_bufferSize.FindStranger("buffer_size", agents),
            m_fullBuffer.FindStranger("full_buffer", agents),
        };
        for (const auto& agent : agents)
        {
            faults.push_back(FindContradictionOf(agent));
        }
        const auto found = std::find_if(faults.begin(), faults.end(), [](const auto& fault) {
            return !fault.empty();
        });
        return found == faults.end() ? "" : *found;
    }

    /**
     * @brief Make the queue of an agent. To share a queue, set the same queue for all its agents.
     * @param agent name of the agent
     * @return the queue; null if the agent needs none
     */
    Ptr<InferenceQueue> MakeQueue(const std::string& agent) const
    {
        const auto workers = m_workers.Get(agent);
        const auto serviceTime = m_serviceTime.Get(agent);
        if (workers == 0 && serviceTime.IsZero())
        {
            return nullptr;
        }
        const auto bufferSize = m_bufferSize.Get(agent);
        auto policy = m_fullBuffer.Get(agent);
        std::transform(policy.begin(), policy.end(), policy.begin(), [](unsigned char letter) {
            return static_cast<char>(std::toupper(letter));
        });
        auto queue = CreateObject<InferenceQueue>();
        queue->SetAttribute("Workers", UintegerValue(workers > 0 ? workers : NO_LIMIT));
        queue->SetAttribute("ServiceTime",
                            PointerValue(MakeServiceTime(serviceTime, m_distribution.Get(agent))));
        queue->SetAttribute("Slowdown", DoubleValue(m_slowdown.Get(agent)));
        queue->SetAttribute(
            "BufferSize",
            UintegerValue(bufferSize >= 0 ? static_cast<uint64_t>(bufferSize) : NO_LIMIT));
        queue->SetAttribute("FullBufferPolicy", StringValue(policy));
        return queue;
    }

  private:
    /// No limit, in attributes of InferenceQueue.
    static constexpr uint32_t NO_LIMIT = std::numeric_limits<uint32_t>::max();

    /**
     * @param mean Mean service time.
     * @param distribution constant or exponential.
     * @return the service time in seconds
     */
    static Ptr<RandomVariableStream> MakeServiceTime(Time mean, const std::string& distribution)
    {
        if (distribution == "exponential")
        {
            auto exponential = CreateObject<ExponentialRandomVariable>();
            exponential->SetAttribute("Mean", DoubleValue(mean.GetSeconds()));
            return exponential;
        }
        auto constant = CreateObject<ConstantRandomVariable>();
        constant->SetAttribute("Constant", DoubleValue(mean.GetSeconds()));
        return constant;
    }

    /**
     * @brief Find a contradiction between the values of one agent.
     * @param agent name of the agent
     * @return a contradiction and its remedy; or an empty string
     */
    std::string FindContradictionOf(const std::string& agent) const
    {
        const bool limited = m_workers.Get(agent) > 0;
        const bool bounded = m_bufferSize.Get(agent) >= 0;
        const auto& policy = m_fullBuffer.Get(agent);
        if (!limited && (bounded || policy != "drop_newest"))
        {
            return agent + " has workers=0 (no limit), so no decision waits: buffer_size and "
                           "full_buffer do not apply";
        }
        if (!bounded && (policy == "drop_oldest" || policy == "block"))
        {
            return agent + " has full_buffer=" + policy + ", which needs a buffer_size";
        }
        const bool instant = m_serviceTime.Get(agent).IsZero();
        if (instant && (m_distribution.Get(agent) != "constant" || m_slowdown.Get(agent) > 0))
        {
            return agent +
                   " has no service_time, so service_time_distribution and slowdown do not apply";
        }
        return "";
    }

    PerAgent<uint32_t> m_workers{0};                   //!< Jobs at a time; 0: no limit
    PerAgent<Time> m_serviceTime{Time()};              //!< Mean time of undisturbed service
    PerAgent<std::string> m_distribution{"constant"};  //!< Distribution of service times
    PerAgent<double> m_slowdown{0};                    //!< Slowdown by each other busy worker
    PerAgent<int64_t> m_bufferSize{-1};                //!< Jobs that may wait; -1: no limit
    PerAgent<std::string> m_fullBuffer{"drop_newest"}; //!< The fate of further jobs
};

} // namespace ns3

#endif // INFERENCE_QUEUE_PARAMETERS_H
