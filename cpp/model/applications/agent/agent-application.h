// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGENT_APPLICATION_H
#define AGENT_APPLICATION_H

#include "history-container.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-space.h"
#include "ns3/rl-application.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace ns3
{

class ApplicationMover;
class InferenceQueue;

/**
 * @ingroup defiance
 *
 * @brief Decides on its node by the observations and rewards that it has received.
 *
 * Received messages are stored in histories, then OnRecvObs() and OnRecvReward() are called. These
 * functions update #m_observation and #m_reward, and call InferAction() to decide; with
 * StepInterval, InferAction() is called periodically, after Observe(). Each InferAction() is one
 * step of the environment.
 *
 * #m_observation remains until it is overwritten. #m_reward is the agent's reward since its last
 * decision: InferAction() reports it and resets it to 0.
 *
 * With an InferenceQueue, decisions take turns on its workers: InferAction() submits a job with a
 * copy of #m_observation. When a worker takes the job, the action is requested and #m_reward is
 * reported; the action arrives GetActionDelay() after the worker is done. While the queue blocks
 * the agent, received messages wait and steps by StepInterval are skipped.
 *
 * Code that needs an action before it continues calls RequestAction(), which returns it. With
 * attribute Synchronous, InferAction() initiates the action before it returns; if the channels to
 * observation and action applications are synchronous, too, the whole path from observation to
 * execution happens within the call that observes. Both require decisions that take no simulated
 * time.
 */
class AgentApplication : public RlApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    AgentApplication();

    ~AgentApplication() override;

    void Setup() override;

    /**
     * @brief Report that the agent has reached the end of its task, by success or failure.
     *
     * Its last observation, reward and info are reported. Afterwards it neither decides nor reacts
     * to messages, and actions under way are not executed.
     */
    void Terminate()
    {
        End(true);
    }

    /// Cut the agent's task short before its end. Otherwise as Terminate().
    void Truncate()
    {
        End(false);
    }

    /**
     * @brief Return whether the agent has made its last decision.
     * @return true after Terminate(), Truncate() or the end of the simulation
     */
    bool HasEnded() const
    {
        return m_hasEnded || m_endsAtSetup;
    }

    /**
     * @brief Send a message to other agents.
     * @param data the message
     * @param remoteAppId number of one agent; none: all connected agents
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void SendToAgent(Ptr<OpenGymDictContainer> data,
                     std::optional<uint32_t> remoteAppId = {},
                     std::optional<uint32_t> interfaceId = {})
    {
        SendTo(data, ApplicationType::AGENT, remoteAppId, interfaceId);
    }

    /**
     * @brief Send an action to action applications.
     * @param action the action
     * @param remoteAppId number of one action application; none: all connected ones
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void SendAction(Ptr<OpenGymDictContainer> action,
                    std::optional<uint32_t> remoteAppId = {},
                    std::optional<uint32_t> interfaceId = {})
    {
        SendTo(action, ApplicationType::ACTION, remoteAppId, interfaceId);
    }

    /**
     * @brief Set the function that returns the agent's infos.
     * @param report returns values by name; GetExtraInfo() calls it
     */
    void SetReport(std::function<OpenGymInfo()> report)
    {
        m_report = std::move(report);
    }

    /**
     * TracedCallback signature of Inference.
     * @param [in] observation the agent's observation
     * @param [in] reward the reward since its last decision
     */
    typedef void (*InferenceTracedCallback)(Ptr<const OpenGymDataContainer> observation,
                                            double reward);

    /**
     * TracedCallback signature of Action.
     * @param [in] action the agent's action
     */
    typedef void (*ActionTracedCallback)(Ptr<const OpenGymDataContainer> action);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;
    void StartApplication() override;
    void StopApplication() override;

    bool SupportsInterfacesTo(ApplicationType type) const override
    {
        return true;
    }

    std::string GetMessageKindTo(ApplicationType type) const override
    {
        return type == ApplicationType::ACTION ? "action" : "message";
    }

    void OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data) override;
    void OnLastInterfaceDeleted(RlApplicationId remoteId) override;

    /**
     * @brief React to an observation, the newest in #m_obsDataStruct.
     *
     * By default its only entry, or else the whole dict, becomes #m_observation. Without
     * StepInterval the agent then decides.
     *
     * @param remoteAppId number of the sending application
     */
    virtual void OnRecvObs(uint32_t remoteAppId);

    /**
     * @brief React to a reward, the newest in #m_rewardDataStruct.
     *
     * By default the number under the key "reward", or else in the only entry, is added to
     * #m_reward. It is a Discrete, or an array of one element.
     *
     * @param remoteAppId number of the sending application
     */
    virtual void OnRecvReward(uint32_t remoteAppId);

    /**
     * @brief Return whether the agent may request actions without any connection.
     *
     * Any other agent without a connection from an observation application or another agent is
     * reported at the end of the episode.
     *
     * @return true, as any class of a scenario may call InferAction()
     */
    virtual bool MayAskUnconnected() const
    {
        return true;
    }

    /**
     * @brief Observe before each step by StepInterval.
     * @return the new #m_observation, by default the present one; null: skip the step
     */
    virtual Ptr<OpenGymDataContainer> Observe()
    {
        return m_observation;
    }

    /**
     * @brief React to a message of another agent; by default ignore it.
     * @param remoteAppId number of the sending agent
     * @param payload the message
     */
    virtual void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload);

    /**
     * @brief Request an action and wait for it. The caller applies it; InitiateAction() is not
     * called.
     * @return the action; null if the agent does not run, has ended or ends by this call
     */
    Ptr<OpenGymDataContainer> RequestAction();

    /// Request an action, or queue the request; InitiateAction() gets it after GetActionDelay().
    void InferAction()
    {
        Infer(MakeCallback(&AgentApplication::TakeAction, Ptr<AgentApplication>(this)));
    }

    /**
     * @brief Request an action for one action application.
     * @param remoteAppId number of the application; InitiateActionForApp() gets the action
     */
    void InferAction(uint32_t remoteAppId);

    HistoryContainer m_obsDataStruct{1};     //!< Received observations by source
    HistoryContainer m_rewardDataStruct{1};  //!< Received rewards by source
    Ptr<OpenGymDataContainer> m_observation; //!< The agent's observation
    double m_reward{0};                      //!< Reward since the last decision

    // DEFIANCE's names of the results of GetInterfaces().
    const InterfaceMap& m_observationInterfaces{GetInterfaces(OBSERVATION)}; //!< Observers
    const InterfaceMap& m_rewardInterfaces{GetInterfaces(REWARD)};           //!< Rewarders
    const InterfaceMap& m_agentInterfaces{GetInterfaces(AGENT)};             //!< Agents
    const InterfaceMap& m_actionInterfaces{GetInterfaces(ACTION)};           //!< Actors

    /**
     * @brief Get the space of observations. It does not change.
     * @return the space
     */
    virtual Ptr<OpenGymSpace> GetObservationSpace() = 0;

    /**
     * @brief Get the space of actions. It does not change.
     * @return the space
     */
    virtual Ptr<OpenGymSpace> GetActionSpace() = 0;

    /**
     * @brief Apply an action; by default send it to all action applications, under the key
     * "default".
     * @param action the action
     */
    virtual void InitiateAction(Ptr<OpenGymDataContainer> action);

    /**
     * @brief Apply an action for one action application; by default send it there, under the key
     * "default", if there still is a channel.
     * @param remoteAppId number of the action application
     * @param action the action
     */
    virtual void InitiateActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action);

    /**
     * @brief Find the origin of the present observation, when the observation is rejected.
     * @return lines to show below the message; by default none
     */
    virtual std::string FindObservationOrigin()
    {
        return "";
    }

    /**
     * @brief Get the info with the observation; by default the result of the function given to
     * SetReport(), or nothing.
     * @return values by name
     */
    virtual OpenGymInfo GetExtraInfo()
    {
        return m_report ? m_report() : OpenGymInfo();
    }

    /**
     * @brief Get the delay between the request of an action and the action; with an inference
     * queue, from the end of its service.
     * @return by default attribute ActionDelay
     */
    virtual Time GetActionDelay()
    {
        return m_actionDelay;
    }

  private:
    using ActionCallback = Callback<void, Ptr<OpenGymDataContainer>>; //!< Takes an action
    struct QueuedDecision;                                            //!< A job of the agent

    void SetInferenceQueue(Ptr<InferenceQueue> queue); //!< @param queue of decisions, or null

    /// @return queue of decisions, or null
    Ptr<InferenceQueue> GetInferenceQueue() const;

    /**
     * @brief Request an action or queue the request, if the agent runs and has not ended.
     * @param callback receives the action
     */
    void Infer(ActionCallback callback);

    Ptr<OpenGymDataContainer> RequestAndWait(); //!< @return the action, or null
    void RequireObservation() const;            //!< Abort if the agent has no observation

    void Enqueue(ActionCallback callback); //!< @param callback takes the action of a job to submit

    /**
     * @brief Request an action.
     * @param observation the agent's observation
     * @param waited waiting time of the decision for a worker, if it needed one
     * @param actionDelay time until the action is taken
     * @param callback receives the action
     */
    void Ask(Ptr<OpenGymDataContainer> observation,
             std::optional<Time> waited,
             Time actionDelay,
             ActionCallback callback);

    /**
     * @brief Get the complete info with the observation; values of GetExtraInfo() take precedence.
     * @param waited waiting time of a decision for a worker; none: no such decision
     * @return values by name
     */
    OpenGymInfo CollectInfo(std::optional<Time> waited = {});

    /**
     * @brief Apply an action for all action applications.
     * @param action the action
     */
    void TakeAction(Ptr<OpenGymDataContainer> action);

    /**
     * @brief Apply an action for one action application.
     * @param remoteAppId number of the action application
     * @param action the action
     */
    void TakeActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action);

    /// Decide, and schedule the next step.
    void Step();

    /**
     * @brief End the agent.
     * @param terminated whether its task has ended
     */
    void End(bool terminated);

    /**
     * @brief Get the remaining values at the end of the simulation.
     * @return the last observation, reward and info
     */
    OpenGymFinalState GetFinalState();

    /**
     * @brief Find a connection that the agent has lacked so far.
     * @return the missing connection, and the remedy; empty: nothing is missing
     */
    std::string FindWiringFault() const;

    /**
     * @brief React to a message.
     * @param remoteId the sending application
     * @param data the message
     */
    void TakeIn(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data);

    void TakeInHeldRewards(); //!< Process rewards that are held, in order
    void TakeInHeld(); //!< Process messages that are held, in order, until the agent is blocked
    void Withdraw();   //!< Cancel jobs that wait, and discard messages that are held

    /// @return whether the agent may request an action now
    bool CanRequest() const
    {
        return IsDeciding() && !OpenGymMultiAgentInterface::Get()->IsStopped();
    }

    /// @return whether a job waits outside the inference queue
    bool IsBlocked() const;

    /// @return whether the agent runs and has not ended
    bool IsDeciding() const
    {
        return IsRunning() && !m_hasEnded;
    }

    uint32_t m_maxObservationHistoryLength;  //!< Observations to keep of each source
    uint32_t m_maxRewardHistoryLength;       //!< Rewards to keep of each source
    bool m_obsTimestamping;                  //!< Whether to record when observations arrive
    bool m_rewardTimestamping;               //!< Whether to record when rewards arrive
    Time m_stepInterval;                     //!< Time between two steps; zero: no periodic ones
    Time m_actionDelay;                      //!< Simulated time of a decision
    bool m_synchronous;                      //!< Whether InferAction() waits for the action
    EventId m_stepEvent;                     //!< The next step
    bool m_hasEnded{false};                  //!< Whether the agent has made its last decision
    std::optional<bool> m_endsAtSetup;       //!< If set, it ends at setup; true: terminated
    bool m_hasRequested{false};              //!< Whether it has requested an action
    bool m_hasLostAction{false};             //!< Whether an action had no destination
    Ptr<InferenceQueue> m_inferenceQueue;    //!< Queue of decisions, or null
    ApplicationMover* m_mover{nullptr};      //!< The aggregated mover, or null
    std::function<OpenGymInfo()> m_report;   //!< Function that returns extra infos; may be null
    std::optional<RlApplicationId> m_sender; //!< Sender of the current message
    /// Received messages that wait for the agent, oldest first.
    std::deque<std::pair<RlApplicationId, Ptr<OpenGymDictContainer>>> m_heldMessages;
    TracedCallback<Ptr<const OpenGymDataContainer>, double> m_inferenceTrace; //!< Requested actions
    TracedCallback<Ptr<const OpenGymDataContainer>> m_actionTrace;            //!< Returned actions
};

} // namespace ns3

#endif /* AGENT_APPLICATION_H */
