// SPDX-License-Identifier: GPL-2.0-only

#ifndef EXCHANGE_AGENTS_H
#define EXCHANGE_AGENTS_H

#include "ns3/nstime.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"

#include <string>
#include <vector>

/** The properties of the agents, as parameters of a scenario. */
struct ExchangeParameters
{
    uint32_t agents{1};                   //!< Number of agents
    uint32_t size{4};                     //!< Floats in an observation
    std::string kind{"box"};              //!< Kind of the observation
    bool synchronous{false};              //!< Agents call RequestAction()
    ns3::Time duration{ns3::Seconds(10)}; //!< Simulated time of an episode
    uint32_t events{0};                   //!< Events between two rounds
    uint32_t slowEvery{0};                //!< Each n-th episode is slow; 0: none is slow
    uint32_t slowFactor{20};              //!< Factor of the events of a slow episode
    double wait{0};                       //!< Wall time that a round takes, asleep, in seconds
    uint32_t forks{0};                    //!< Bare forks to measure instead of an episode

    /**
     * Declare the properties as parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(ns3::RlSimulation& simulation);
};

/**
 * Agents that all decide at each millisecond of simulated time. Without other events, the cost of a
 * decision is the cost of the exchange alone. Infos are empty.
 */
class ExchangeAgents
{
  public:
    /**
     * Introduce the agents, and start the simulation.
     *
     * @param parameters The properties of the agents.
     */
    explicit ExchangeAgents(const ExchangeParameters& parameters);

  private:
    /** Wait, let every agent decide, and schedule the events until the next round. */
    void Ask();

    /**
     * Request an action, and wait for it or receive it by a callback.
     *
     * @param agent Number of an agent.
     */
    void AskFor(uint32_t agent);

    /** Simulate an event, and schedule the next one of this round. */
    void Work();

    /**
     * @return the observation: the number of the round, as floats of the chosen kind
     */
    ns3::Ptr<ns3::OpenGymDataContainer> Observe() const;

    /**
     * @return the space of observations
     */
    ns3::Ptr<ns3::OpenGymSpace> GetObservationSpace() const;

    /**
     * @param agent Number of an agent.
     * @param action Its action.
     */
    void Act(uint32_t agent, ns3::Ptr<ns3::OpenGymDataContainer> action);

    /** Receives the action of an agent. */
    using ActionCallback = ns3::Callback<void, ns3::Ptr<ns3::OpenGymDataContainer>>;

    ExchangeParameters m_parameters;         //!< The properties of the agents
    std::vector<std::string> m_names;        //!< Names of the agents
    std::vector<ActionCallback> m_callbacks; //!< Act() of each agent
    std::vector<double> m_actions;           //!< Last action of each agent, which is its reward
    uint32_t m_rounds{0};                    //!< Number of rounds so far
    uint32_t m_events{0};                    //!< Events of each round
    uint32_t m_left{0};                      //!< The remaining agents of this round
};

/**
 * Play an episode; or measure bare forks of this process, whose copies end at once, and write the
 * median time of fork and end to standard output, in nanoseconds.
 *
 * @param simulation The scenario.
 * @param parameters The properties of the agents.
 * @return the exit status of the program
 */
int RunExchange(ns3::RlSimulation& simulation, const ExchangeParameters& parameters);

#endif /* EXCHANGE_AGENTS_H */
