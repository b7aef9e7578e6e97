// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERFACE_TEST_SUPPORT_H
#define INTERFACE_TEST_SUPPORT_H

#include "fake-python.h"

#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/test.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

/** @return the space of one float from -1000 to 1000 */
ns3::Ptr<ns3::OpenGymSpace> GetWalkerObservations();

/** @return the space of 0, 1 and 2 */
ns3::Ptr<ns3::OpenGymSpace> GetWalkerActions();

/** Run the simulation like a plain main(). */
void RunPlainly();

/**
 * @param observations Message of observations of Walkers: a stack, or a single one.
 * @param row Row of the stack.
 * @return the observed sum
 */
double GetSum(const defiance::v1::DataContainer& observations, std::size_t row);

/**
 * @brief An agent that decides at given instants and observes the sum of its actions.
 */
class Walker
{
  public:
    /**
     * @param name Name of the agent.
     * @param delay Its action delay.
     */
    explicit Walker(std::string name, ns3::Time delay = ns3::Time(0));

    /** Report the sum, a reward of 100 and an info at the end. */
    void ReportFinalState();

    /**
     * Request a decision, with the request's number as reward and the last action's time as info.
     *
     * @param isGameOver Whether the agent has terminated.
     */
    void Ask(bool isGameOver = false);

    /**
     * @param time Time of the request.
     */
    void AskAt(ns3::Time time);

  private:
    /** @return the sum of the actions */
    ns3::Ptr<ns3::OpenGymDataContainer> See() const;

    /** @param action A number to add. */
    void Act(ns3::Ptr<ns3::OpenGymDataContainer> action);

    std::string m_name;   //!< Name of the agent
    ns3::Time m_delay;    //!< Its action delay
    int64_t m_sum{0};     //!< Sum of the actions
    ns3::Time m_actedAt;  //!< Time of the last action
    double m_requests{0}; //!< Number of requests
};

/**
 * @brief A test that plays Python against a simulation in another process.
 */
class InterfaceTestCase : public ns3::TestCase
{
  protected:
    /** @param name The tested behaviour. */
    explicit InterfaceTestCase(const std::string& name);

    /**
     * @param simulation Runs in the other process.
     * @param more Environment variables in addition to the endpoint.
     * @return the process
     */
    std::unique_ptr<ForkedSimulation> Start(const std::function<void()>& simulation,
                                            const std::map<std::string, std::string>& more = {});

    /**
     * @param sequence Expected number of the request.
     * @param milliseconds Expected simulated time.
     * @param agents Expected number of agents in the request.
     * @return the next request
     */
    defiance::v1::StepRequest ExpectRequest(uint64_t sequence,
                                            int64_t milliseconds,
                                            int agents = 1);

    /**
     * @param milliseconds Expected simulated time.
     * @param agents Expected number of agents that end.
     * @return the end of the episode
     */
    defiance::v1::EpisodeEnd ExpectEnd(int64_t milliseconds, int agents = 1);

    /**
     * @param end End of an agent.
     * @param agent Its expected index.
     * @param sum Its expected last observation.
     * @param reward Its expected last reward.
     * @param terminated Whether it is expected to have terminated.
     */
    void CheckEnd(const defiance::v1::AgentEnd& end,
                  uint32_t agent,
                  double sum,
                  double reward,
                  bool terminated);

    /** @param process A process that is expected to exit with status 0. */
    void ExpectSuccess(ForkedSimulation& process);

    FakePython m_python; //!< The Python side

  private:
    void DoTeardown() override;
};

#endif /* INTERFACE_TEST_SUPPORT_H */
