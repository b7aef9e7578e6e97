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
    OpenGymInfo info;                      //!< The info beside it
};

/**
 * @ingroup defiance
 *
 * @brief Where the agents of a simulation ask for their decisions.
 *
 * An agent exists once both of its spaces are registered. It asks with NotifyCurrentState() and
 * gets its action by a callback, an action delay later; or it asks with RequestAction(), which
 * returns the action. The source of decisions is fixed from outside: the Python process at the
 * endpoint given, or a policy built into the simulation.
 *
 * Simulated time stands still while a decision is made. In sequential rounds each agent is asked
 * by itself; in simultaneous rounds all that ask at one instant are asked together, each of them
 * once: an agent that asks a second time at that instant is asked in a further round of it.
 * RequestAction() is a separate round in either case, because its caller waits.
 *
 * Observations are compared with their space: kind, element type and shape always, bounds as
 * attribute CheckBounds says.
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
     * Register how an agent's observation space is found. It is asked for once.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the space.
     */
    void SetGetObservationSpaceCb(const std::string& agentId, Callback<Ptr<OpenGymSpace>> callback);

    /**
     * Register how an agent's action space is found. It is asked for once.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the space.
     */
    void SetGetActionSpaceCb(const std::string& agentId, Callback<Ptr<OpenGymSpace>> callback);

    /**
     * Register how an agent's state is found when the simulation ends before the agent. Without it
     * the last observation notified stands, with no reward.
     *
     * @param agentId Name of the agent.
     * @param callback Returns the state.
     */
    void SetFinalStateCb(const std::string& agentId, Callback<OpenGymFinalState> callback);

    /**
     * Register what tells, at the end of an episode, which connection an agent lacked in it. An
     * episode in which all agents lacked one, and none decided, fails; of other agents that lacked
     * one RlSimulation warns.
     *
     * @param agentId Name of the agent.
     * @param callback Returns what is missing, and the remedy; empty: nothing.
     */
    void SetWiringFaultCb(const std::string& agentId, Callback<std::string> callback);

    /**
     * Register what tells where the present observation of an agent comes from, for the message
     * that refuses an observation.
     *
     * @param agentId Name of the agent.
     * @param callback Returns lines to show below the message; empty: nothing.
     */
    void SetObservationOriginCb(const std::string& agentId, Callback<std::string> callback);

    /**
     * Ask for an agent's next action.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param isGameOver Whether the agent has terminated, so that it gets no further action.
     * @param extraInfo The info beside the observation.
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
     * The same with an info of texts alone, as ns3-ai and DEFIANCE have it.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param isGameOver Whether the agent has terminated.
     * @param texts The info beside the observation, a std::map<std::string, std::string>.
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
     * Ask for an agent's next action and wait for it, for code that has to return a value: a
     * congestion control, a rate manager, a scheduler, a queue discipline. Only this agent is
     * asked; what others have asked at this instant waits for its round. If the agent itself has
     * asked at this instant with NotifyCurrentState(), the round of that question goes first.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation.
     * @param reward Reward since the agent's last decision.
     * @param extraInfo The info beside the observation.
     * @return the action; null if there is none any more, because the agent has ended or the
     *         episode is over
     */
    Ptr<OpenGymDataContainer> RequestAction(const std::string& agentId,
                                            Ptr<OpenGymDataContainer> observation,
                                            double reward,
                                            OpenGymInfo extraInfo = {});

    /**
     * Say that an agent has decided for the last time.
     *
     * @param agentId Name of the agent.
     * @param observation The agent's observation; null: the last observation notified.
     * @param reward Reward since the agent's last decision.
     * @param terminated Whether its task ended, rather than being cut short.
     * @param info The info beside the observation.
     */
    void NotifyAgentEnd(const std::string& agentId,
                        Ptr<OpenGymDataContainer> observation,
                        double reward,
                        bool terminated,
                        const OpenGymInfo& info = {});

    /**
     * Say that an agent earns something after its end, as when a message arrives late. It counts
     * for nothing; Python warns of it.
     *
     * @param agentId Name of the agent.
     * @param reward The reward.
     */
    void NotifyLateReward(const std::string& agentId, double reward);

    /**
     * End the episode: each agent that has not ended ends here, cut short. After
     * Simulator::Destroy(), which has ended the agents, their rewards and infos are still added, by
     * the interface itself or by the one that Get() returns then. A second call has no effect.
     *
     * @param reward Added to the reward of each agent that ends here.
     * @param extraInfo Added to the info of each agent that ends here.
     */
    void NotifySimulationEnd(double reward = 0, const OpenGymInfo& extraInfo = {});

    /**
     * Register who starts the transfers that are ordered, and tells NotifyTransfer() of each how it
     * finished. Without it, they are refused.
     *
     * @param handler Starts a transfer at the present instant.
     */
    void SetTransferHandler(Callback<void, const TransferOrder&> handler);

    /**
     * Say what has become of a transfer. It is reported with the next round.
     *
     * @param number Number of its order.
     * @param outcome How it finished.
     * @param reason Why, unless it was delivered.
     */
    void NotifyTransfer(uint64_t number, TransferOutcome outcome, const std::string& reason = {});

    /** @param reporter Says what RL applications have sent, when Python asks and at the end. */
    void SetCommunicationReporter(CommunicationReporter reporter);

    /**
     * @param agentId Name of an agent.
     * @return whether the agent has ended
     */
    bool HasEnded(const std::string& agentId) const;

    /**
     * @return whether the episode is over or being ended, so that no agent is asked any more
     */
    bool IsStopped() const;

    /**
     * Signature of trace source Request.
     *
     * @param [in] agentId Name of the agent that is asked.
     * @param [in] observation What it sees.
     * @param [in] reward Reward since its last decision.
     */
    typedef void (*RequestTracedCallback)(const std::string& agentId,
                                          Ptr<const OpenGymDataContainer> observation,
                                          double reward);

    /**
     * Signature of trace source Reply.
     *
     * @param [in] agentId Name of the agent that was asked.
     * @param [in] action What it does.
     */
    typedef void (*ReplyTracedCallback)(const std::string& agentId,
                                        Ptr<const OpenGymDataContainer> action);

  private:
    friend class RlSimulation; // Connects before time starts, and knows when it ends

    /**
     * Report the end of an episode that Simulator::Destroy() has ended, unless that has been done:
     * at the end of the process, or when the next episode begins.
     */
    static void ReportLateEnd();

    /**
     * @return the interface of the episode that Simulator::Destroy() has ended if its end has not
     * been reported and this interface has no agents; or else null
     */
    Ptr<OpenGymMultiAgentInterface> FindEnded() const;

    void DoDispose() override;

    /**
     * Find an agent that may ask, and begin the episode if it is the first one; abort when it asks
     * without an observation.
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
    BoundsCheck m_checkBounds{BoundsCheck::AUTOMATIC}; //!< Whose bounds are compared
    uint32_t m_settlePasses{4};                        //!< Quiet passes before a simultaneous round
    Callback<void, const TransferOrder&> m_transferHandler; //!< Starts transfers; may be null
    CommunicationReporter m_communicationReporter;          //!< Knows what was sent; may be null

    /** Trace of what agents ask. */
    TracedCallback<const std::string&, Ptr<const OpenGymDataContainer>, double> m_requestTrace;
    /** Trace of what agents are to do. */
    TracedCallback<const std::string&, Ptr<const OpenGymDataContainer>> m_replyTrace;
};

} // namespace ns3

#endif /* OPEN_GYM_MULTI_AGENT_INTERFACE_H */
