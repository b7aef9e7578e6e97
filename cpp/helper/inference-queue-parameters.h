// SPDX-License-Identifier: GPL-2.0-only

#ifndef INFERENCE_QUEUE_PARAMETERS_H
#define INFERENCE_QUEUE_PARAMETERS_H

#include "ns3/inference-queue.h"
#include "ns3/nstime.h"
#include "ns3/rl-per-agent.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
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
    void Declare(RlSimulation& simulation);

    /**
     * @brief Find a contradiction between the values.
     * @param agents names of all possible agents
     * @return a contradiction and its remedy; or an empty string
     */
    std::string FindContradiction(const std::vector<std::string>& agents) const;

    /**
     * @brief Make the queue of an agent. To share a queue, set the same queue for all its agents.
     * @param agent name of the agent
     * @return the queue; null if the agent needs none
     */
    Ptr<InferenceQueue> MakeQueue(const std::string& agent) const;

  private:
    /**
     * @brief Find a contradiction between the values of one agent.
     * @param agent name of the agent
     * @return a contradiction and its remedy; or an empty string
     */
    std::string FindContradictionOf(const std::string& agent) const;

    PerAgent<uint32_t> m_workers{0};                   //!< Jobs at a time; 0: no limit
    PerAgent<Time> m_serviceTime{Time()};              //!< Mean time of undisturbed service
    PerAgent<std::string> m_distribution{"constant"};  //!< Distribution of service times
    PerAgent<double> m_slowdown{0};                    //!< Slowdown by each other busy worker
    PerAgent<int64_t> m_bufferSize{-1};                //!< Jobs that may wait; -1: no limit
    PerAgent<std::string> m_fullBuffer{"drop_newest"}; //!< The fate of further jobs
};

} // namespace ns3

#endif /* INFERENCE_QUEUE_PARAMETERS_H */
