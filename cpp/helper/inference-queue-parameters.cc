// SPDX-License-Identifier: GPL-2.0-only

#include "inference-queue-parameters.h"

#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t NO_LIMIT = std::numeric_limits<uint32_t>::max(); // of InferenceQueue

/**
 * @tparam T Type of the values.
 * @param name Name of a parameter.
 * @param values Values of the parameter.
 * @param agents Names of all agents.
 * @return a fault if the parameter names an unknown agent, or an empty string
 */
template <typename T>
std::string
FindStranger(const std::string& name,
             const PerAgent<T>& values,
             const std::vector<std::string>& agents)
{
    for (const auto& [agent, value] : values.GetNamed())
    {
        if (std::find(agents.begin(), agents.end(), agent) == agents.end())
        {
            const auto last = agents.size() > 1 ? " to " + agents.back() : "";
            return name + " names " + agent + ", but the agents are " + agents.front() + last;
        }
    }
    return "";
}

/**
 * @param mean Mean service time.
 * @param distribution constant or exponential.
 * @return the service time in seconds
 */
Ptr<RandomVariableStream>
MakeServiceTime(Time mean, const std::string& distribution)
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

} // namespace

void
InferenceQueueParameters::Declare(RlSimulation& simulation)
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
    simulation.AddValuePerAgent("slowdown",
                                "With n busy workers, each takes 1 + slowdown (n - 1) times as "
                                "long: 0: workers are independent; 1: they share one processor.",
                                m_slowdown,
                                0,
                                1000);
    simulation.AddValuePerAgent("buffer_size",
                                "Number of decisions that may wait for a worker; -1: no limit.",
                                m_bufferSize,
                                -1,
                                1000000);
    simulation.AddChoicePerAgent("full_buffer",
                                 "Policy for a decision when the buffer is full.",
                                 m_fullBuffer,
                                 {"drop_newest", "drop_oldest", "keep_latest_per_source", "block"});
}

std::string
InferenceQueueParameters::FindContradiction(const std::vector<std::string>& agents) const
{
    std::vector<std::string> faults{
        FindStranger("workers", m_workers, agents),
        FindStranger("service_time", m_serviceTime, agents),
        FindStranger("service_time_distribution", m_distribution, agents),
        FindStranger("slowdown", m_slowdown, agents),
        FindStranger("buffer_size", m_bufferSize, agents),
        FindStranger("full_buffer", m_fullBuffer, agents),
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

std::string
InferenceQueueParameters::FindContradictionOf(const std::string& agent) const
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
        return agent + " has no service_time, so service_time_distribution and slowdown do not "
                       "apply";
    }
    return "";
}

Ptr<InferenceQueue>
InferenceQueueParameters::MakeQueue(const std::string& agent) const
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

} // namespace ns3
