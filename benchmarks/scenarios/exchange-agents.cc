// SPDX-License-Identifier: GPL-2.0-only

#include "exchange-agents.h"

#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <thread>

using namespace ns3;

namespace
{

/**
 * @param forks Number of forks to measure.
 * @return the median time of a fork and the end of the copy, in nanoseconds
 */
int64_t
MeasureForks(uint32_t forks)
{
    using Clock = std::chrono::steady_clock;
    std::vector<int64_t> times;
    for (uint32_t i = 0; i < forks; ++i)
    {
        const auto began = Clock::now();
        const auto child = fork();
        if (child == 0)
        {
            _exit(0);
        }
        waitpid(child, nullptr, 0);
        times.push_back(std::chrono::nanoseconds(Clock::now() - began).count());
    }
    std::nth_element(times.begin(), times.begin() + forks / 2, times.end());
    return times[forks / 2];
}

} // namespace

void
ExchangeParameters::Declare(RlSimulation& simulation)
{
    simulation.AddValue("agents", "Number of agents.", agents, 1U, 1000U);
    simulation.AddValue("size", "Floats in an observation.", size, 1U, 1'000'000U);
    simulation.AddChoice("kind",
                         "Kind of the observation: only its floats, or with a small number.",
                         kind,
                         {"box", "dict", "tuple"});
    simulation.AddValue("synchronous",
                        "Whether agents wait for their action within the call that requests it.",
                        synchronous);
    simulation.AddValue("duration",
                        "Simulated time of an episode; a round takes 1 ms.",
                        duration,
                        MilliSeconds(1),
                        Hours(24));
    // Each event takes a nanosecond of the millisecond between two rounds, also in slow episodes.
    simulation.AddValue("events", "Events between two rounds.", events, 0U, 9'000U);
    simulation.AddValue("slow_every",
                        "Each n-th episode is slow; 0: none is slow.",
                        slowEvery,
                        0U,
                        1000U);
    simulation.AddValue("slow_factor",
                        "Factor of the events of slow episodes.",
                        slowFactor,
                        1U,
                        100U);
    simulation.AddValue("wait",
                        "Seconds of wall time for which the simulation sleeps before each round, "
                        "as if it computed on a separate core.",
                        wait,
                        0.0,
                        10.0);
    simulation.AddValue("forks",
                        "Number of bare forks to measure instead of an episode.",
                        forks,
                        0U,
                        100'000U);
}

ExchangeAgents::ExchangeAgents(const ExchangeParameters& parameters)
    : m_parameters(parameters),
      m_actions(parameters.agents)
{
    auto interface = OpenGymMultiAgentInterface::Get();
    for (uint32_t agent = 0; agent < parameters.agents; ++agent)
    {
        m_names.push_back("agent_" + std::to_string(agent));
        m_callbacks.push_back(MakeCallback(&ExchangeAgents::Act, this).Bind(agent));
        interface->SetGetObservationSpaceCb(m_names.back(), Callback<Ptr<OpenGymSpace>>([this]() {
                                                return GetObservationSpace();
                                            }));
        interface->SetGetActionSpaceCb(m_names.back(), Callback<Ptr<OpenGymSpace>>([]() {
                                           return Ptr<OpenGymSpace>(MakeDiscreteSpace(8));
                                       }));
    }
    // In turn and not at random, so that equal times contain equal work.
    const auto turn = RngSeedManager::GetSeed() + RngSeedManager::GetRun();
    const bool slow = parameters.slowEvery > 0 && turn % parameters.slowEvery == 0;
    m_events = parameters.events * (slow ? parameters.slowFactor : 1);
    Simulator::Schedule(MilliSeconds(1), &ExchangeAgents::Ask, this);
}

void
ExchangeAgents::Work()
{
    if (m_left-- > 0)
    {
        Simulator::Schedule(NanoSeconds(1), &ExchangeAgents::Work, this);
    }
}

void
ExchangeAgents::Ask()
{
    if (m_parameters.wait > 0)
    {
        std::this_thread::sleep_for(std::chrono::duration<double>(m_parameters.wait));
    }
    m_rounds++;
    for (uint32_t agent = 0; agent < m_parameters.agents; ++agent)
    {
        AskFor(agent);
    }
    Simulator::Schedule(MilliSeconds(1), &ExchangeAgents::Ask, this);
    if (m_events > 0)
    {
        m_left = m_events;
        Simulator::Schedule(NanoSeconds(1), &ExchangeAgents::Work, this);
    }
}

void
ExchangeAgents::AskFor(uint32_t agent)
{
    auto interface = OpenGymMultiAgentInterface::Get();
    const auto& name = m_names[agent];
    if (!m_parameters.synchronous)
    {
        interface->NotifyCurrentState(name,
                                      Observe(),
                                      m_actions[agent],
                                      false,
                                      {},
                                      Time(0),
                                      m_callbacks[agent]);
    }
    else if (const auto action = interface->RequestAction(name, Observe(), m_actions[agent]))
    {
        Act(agent, action);
    }
}

Ptr<OpenGymDataContainer>
ExchangeAgents::Observe() const
{
    auto box = MakeBoxContainer(std::vector<float>(m_parameters.size, m_rounds));
    if (m_parameters.kind == "box")
    {
        return box;
    }
    const auto small = MakeDiscreteContainer(m_rounds % 8);
    if (m_parameters.kind == "dict")
    {
        return MakeDictContainer("floats", box, "small", small);
    }
    return MakeTupleContainer(box, small);
}

Ptr<OpenGymSpace>
ExchangeAgents::GetObservationSpace() const
{
    auto box = MakeBoxSpace<float>(m_parameters.size, 0, std::numeric_limits<float>::max());
    const auto small = MakeDiscreteSpace(8);
    if (m_parameters.kind == "box")
    {
        return box;
    }
    if (m_parameters.kind == "dict")
    {
        return MakeDictSpace("floats", box, "small", small);
    }
    return MakeTupleSpace(box, small);
}

void
ExchangeAgents::Act(uint32_t agent, Ptr<OpenGymDataContainer> action)
{
    m_actions[agent] = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
}

int
RunExchange(RlSimulation& simulation, const ExchangeParameters& parameters)
{
    const ExchangeAgents agents(parameters);
    if (parameters.forks > 0)
    {
        std::cout << MeasureForks(parameters.forks) << std::endl;
        return 0;
    }
    return simulation.Run(parameters.duration);
}
