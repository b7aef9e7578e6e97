// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_GYM_MULTI_AGENT_INTERFACE_H
#define OPEN_GYM_MULTI_AGENT_INTERFACE_H

#include "ns3/bounds-check.h"
#include "ns3/callback.h"
#include "ns3/communication-report.h"
#include "ns3/nstime.h"
#include "ns3/opengym-data-container.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-space.h"
#include "ns3/traced-callback.h"
#include "ns3/transfer.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ns3
{

struct AgentRecord;

/**
 * @ingroup defiance
 *
 * @brief The last values of an agent when the simulation ends.
 */
struct OpenGymFinalState
{
    Ptr<OpenGymDataContainer> observation; //!< Last observation; may be null
    double reward{0};                      //!< Reward since the agent's last decision
    OpenGymInfo info;                      //!< The info with the state
};

/**
 * @ingroup defiance
 *
 * @brief The interface through which the agents of a simulation request decisions.
 *
 * An agent exists once both of its spaces are registered. It calls NotifyCurrentState() and gets
 * its action by a callback, an action delay later; or it calls RequestAction(), which returns the
 * action. The source of decisions is fixed from outside: the Python process at the given endpoint,
 * or a policy built into the simulation.
 *
 * Simulated time stands still while a decision is made. In sequential rounds each agent decides by
 * itself. In simultaneous rounds all agents that request an action at one instant decide together,
 * each of them once: a second request at that instant belongs to a further round. RequestAction()
 * is a separate round in either case, because its caller waits.
 *
 * Observations are compared with their space: kind, element type and shape always, bounds according
 * to attribute CheckBounds.
 */
class OpenGymMultiAgentInterface : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Get the interface of this simulation, which lives until Simulator::Destroy().
     *
     * @return the interface
     */
    static Ptr<OpenGymMultiAgentInterface> Get();

    OpenGymMultiAgentInterface();
    ~OpenGymMultiAgentInterface() override;

    /**
     * Register how an agent's observation space is found. The callback is called once.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the space.
     */
    void SetGetObservationSpaceCb(const std::string& agentId, Callback<Ptr<OpenGymSpace>> callback);

    /**
     * Register how an agent's action space is found. The callback is called once.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the space.
     */
    void SetGetActionSpaceCb(const std::string& agentId, Callback<Ptr<OpenGymSpace>> callback);

    /**
     * Register how an agent's state is found when the simulation ends before the agent. Without it
     * the last observation holds, with no reward.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the state.
     */
    void SetFinalStateCb(const std::string& agentId, Callback<OpenGymFinalState> callback);

    /**
     * Register a function that finds, at the end of an episode, a connection that an agent lacked.
     * If all agents lacked a connection and none decided, the episode fails; RlSimulation warns
     * about other agents.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the missing connection, and the remedy; empty: nothing is missing.
     */
    void SetWiringFaultCb(const std::string& agentId, Callback<std::string> callback);

    /**
     * Register a function that says, at the end of an episode without a decision of an agent, which
     * function never observed. RlSimulation warns of it.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the function's place and its fault; empty: there is no such function.
     */
    void SetSilenceCb(const std::string& agentId, Callback<std::string> callback);

    /**
     * Register a function that finds the origin of an agent's present observation, for the message
     * that rejects an observation.
     *
     * @param agentId Name of the agent.
     * @param callback Returns lines to show below the message; empty: nothing.
     */
    void SetObservationOriginCb(const std::string& agentId, Callback<std::string> callback);

    /**
     * Request an agent's next action.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param isGameOver Whether the agent has terminated, so that it gets no further action.
     * @param extraInfo The info with the observation.
     * @param actionDelay Simulated time from now to the action.
     * @param actionCallback Called with the action.
     */
    void NotifyCurrentState(const std::string& agentId,
                            Ptr<OpenGymDataContainer> observation,
                            double reward,
                            bool isGameOver,
                            OpenGymInfo extraInfo,
                            Time actionDelay,
                            Callback<void, Ptr<OpenGymDataContainer>> actionCallback);

    /**
     * The same with an info of texts alone, for ns3-ai and DEFIANCE.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param isGameOver Whether the agent has terminated.
     * @param texts The info with the observation, a std::map<std::string, std::string>.
     * @param others Action delay and callback.
     */
    template <std::same_as<std::map<std::string, std::string>> Texts, typename... Others>
    void NotifyCurrentState(const std::string& agentId,
                            Ptr<OpenGymDataContainer> observation,
                            double reward,
                            bool isGameOver,
                            const Texts& texts,
                            const Others&... others)
    {
        OpenGymInfo info(texts.begin(), texts.end());
        NotifyCurrentState(agentId, observation, reward, isGameOver, std::move(info), others...);
    }

    /**
     * Request an agent's next action and wait for it, for code that must return a value: a
     * congestion control, a rate manager, a scheduler, a queue discipline. Only this agent decides;
     * other requests of this instant wait for their round. If the agent itself has called
     * NotifyCurrentState() at this instant, the round of that request is first.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param extraInfo The info with the observation.
     * @return the action; null if there is none, because the agent or the episode has ended
     */
    Ptr<OpenGymDataContainer> RequestAction(const std::string& agentId,
                                            Ptr<OpenGymDataContainer> observation,
                                            double reward,
                                            OpenGymInfo extraInfo = {});

    /**
     * Report that an agent has made its last decision.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation; null: the last one.
     * @param reward Reward since the agent's last decision.
     * @param terminated Whether the agent terminated, rather than being truncated.
     * @param info The info with the observation.
     */
    void NotifyAgentEnd(const std::string& agentId,
                        Ptr<OpenGymDataContainer> observation,
                        double reward,
                        bool terminated,
                        const OpenGymInfo& info = {});

    /**
     * Report a reward after an agent's end, as when a message arrives late. The reward is not
     * counted; Python warns of it.
     *
     * @param agentId Name of the agent.
     * @param reward The reward.
     */
    void NotifyLateReward(const std::string& agentId, double reward);

    /**
     * End the episode: each agent that has not ended is truncated. After Simulator::Destroy(),
     * which has ended the agents, their rewards and infos are still added, by the interface itself
     * or by the next interface from Get(). A second call has no effect.
     *
     * @param reward Added to the reward of each agent that ends here.
     * @param extraInfo Added to the info of each agent that ends here.
     */
    void NotifySimulationEnd(double reward = 0, const OpenGymInfo& extraInfo = {});

    /**
     * Register the handler that starts ordered transfers, and calls NotifyTransfer() with each
     * outcome. Without it, transfers are refused.
     *
     * @param handler Starts a transfer at the present instant.
     */
    void SetTransferHandler(Callback<void, const TransferOrder&> handler)
    {
        m_transferHandler = handler;
    }

    /**
     * Report the outcome of a transfer. Python receives it with the next round.
     *
     * @param number Number of the transfer's order.
     * @param outcome Outcome of the transfer.
     * @param reason Reason, unless it was delivered.
     */
    void NotifyTransfer(uint64_t number, TransferOutcome outcome, const std::string& reason = {});

    /** @param reporter Returns the traffic of RL applications, on request and at the end. */
    void SetCommunicationReporter(CommunicationReporter reporter)
    {
        m_communicationReporter = reporter;
    }

    /**
     * @param agentId Name of an agent.
     * @return whether the agent has ended
     */
    bool HasEnded(const std::string& agentId) const;

    /**
     * @return whether the episode is over or ending, so that no agent decides any more
     */
    bool IsStopped() const;

    /**
     * Signature of trace source Request.
     *
     * @param [in] agentId Name of the agent.
     * @param [in] observation Observation of the agent.
     * @param [in] reward Reward since its last decision.
     */
    typedef void (*RequestTracedCallback)(const std::string& agentId,
                                          Ptr<const OpenGymDataContainer> observation,
                                          double reward);

    /**
     * Signature of trace source Reply.
     *
     * @param [in] agentId Name of the agent.
     * @param [in] action Action of the agent.
     */
    typedef void (*ReplyTracedCallback)(const std::string& agentId,
                                        Ptr<const OpenGymDataContainer> action);

  private:
    friend class RlSimulation; // Connects before time starts, and knows when it ends

    /**
     * Report the end of an episode that Simulator::Destroy() has ended, unless it is reported: at
     * the end of the process, or when the next episode begins.
     */
    static void ReportLateEnd();

    /**
     * @return the interface of the episode that Simulator::Destroy() has ended, if its end is not
     * reported and this interface has no agents; else null
     */
    Ptr<OpenGymMultiAgentInterface> FindEnded() const;

    void DoDispose() override;

    /**
     * Find an agent that may decide, and begin the episode with the first agent; abort on a missing
     * observation.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @return the agent; null if it has ended
     */
    AgentRecord* FindAsking(const std::string& agentId,
                            Ptr<OpenGymDataContainer> observation,
                            double reward);

    class Rounds; // The questions, and the ends of agents and of the episode

    std::unique_ptr<Rounds> m_rounds;                  //!< The rounds of the episode
    bool m_stopWhenAllAgentsEnded{true};               //!< Whether the last agent's end stops time
    BoundsCheck m_checkBounds{BoundsCheck::AUTOMATIC}; //!< Observations compared with bounds
    uint32_t m_settlePasses{4};                        //!< Quiet passes before a simultaneous round
    Callback<void, const TransferOrder&> m_transferHandler; //!< Starts transfers; may be null
    CommunicationReporter m_communicationReporter;          //!< Reporter of traffic; may be null

    /** Trace of requests. */
    TracedCallback<const std::string&, Ptr<const OpenGymDataContainer>, double> m_requestTrace;
    /** Trace of actions. */
    TracedCallback<const std::string&, Ptr<const OpenGymDataContainer>> m_replyTrace;
};

} // namespace ns3

#endif /* OPEN_GYM_MULTI_AGENT_INTERFACE_H */
