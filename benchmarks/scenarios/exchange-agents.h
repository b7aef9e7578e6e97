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
    bool synchronous{false};              //!< Agents ask by RequestAction()
    ns3::Time duration{ns3::Seconds(10)}; //!< Simulated time of an episode
    uint32_t events{0};                   //!< Events between two rounds
    uint32_t slowEvery{0};                //!< One in how many episodes is slow; 0: none
    uint32_t slowFactor{20};              //!< How many times as many events they have
    double wait{0};                       //!< Seconds of wall time that a round takes, asleep
    uint32_t forks{0};                    //!< Bare forks to measure instead of an episode

    /**
     * Declare them as parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(ns3::RlSimulation& simulation);
};

/**
 * Agents that all ask at each millisecond of simulated time. Unless there are events in between,
 * nothing else is simulated: what a decision costs then, the exchange costs. Infos are empty.
 */
class ExchangeAgents
{
  public:
    /**
     * Introduce the agents, and let time begin.
     *
     * @param parameters The properties of the agents.
     */
    explicit ExchangeAgents(const ExchangeParameters& parameters);

  private:
    /** Wait, let every agent ask, and begin what happens until the next round. */
    void Ask();

    /**
     * Ask, and wait for the action or let it come by a callback.
     *
     * @param agent Number of an agent.
     */
    void AskFor(uint32_t agent);

    /** Simulate an event, and the next one of this round. */
    void Work();

    /**
     * @return what an agent sees: the number of the round, as floats of the kind that was chosen
     */
    ns3::Ptr<ns3::OpenGymDataContainer> Observe() const;

    /**
     * @return the space of it
     */
    ns3::Ptr<ns3::OpenGymSpace> GetObservationSpace() const;

    /**
     * @param agent Number of an agent.
     * @param action Its action.
     */
    void Act(uint32_t agent, ns3::Ptr<ns3::OpenGymDataContainer> action);

    /** Tells an agent what to do. */
    using ActionCallback = ns3::Callback<void, ns3::Ptr<ns3::OpenGymDataContainer>>;

    ExchangeParameters m_parameters;         //!< The properties of the agents
    std::vector<std::string> m_names;        //!< Their names
    std::vector<ActionCallback> m_callbacks; //!< Act() of each
    std::vector<double> m_actions;           //!< The last action of each, which is its reward
    uint32_t m_rounds{0};                    //!< How often they have asked
    uint32_t m_events{0};                    //!< Events of each round
    uint32_t m_left{0};                      //!< The remaining agents of this round
};

/**
 * Play an episode; or measure bare forks of this process, each copy ending at once, and write the
 * median of what fork and end take to standard output, in nanoseconds.
 *
 * @param simulation The scenario.
 * @param parameters The properties of the agents.
 * @return the exit status of the program
 */
int RunExchange(ns3::RlSimulation& simulation, const ExchangeParameters& parameters);

#endif /* EXCHANGE_AGENTS_H */
