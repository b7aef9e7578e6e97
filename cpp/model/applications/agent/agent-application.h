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
 * @brief Decides, on its node, with what observations and rewards it has received.
 *
 * Received messages are stored in histories, then OnRecvObs() and OnRecvReward() are called. They
 * keep #m_observation and #m_reward up to date and call InferAction() when it is time to decide;
 * with StepInterval that happens by itself, after Observe(). Each InferAction() is one step of the
 * environment.
 *
 * #m_observation stays as it is until it is overwritten. #m_reward is what the agent has earned
 * since its last decision: InferAction() hands it over and starts again from 0.
 *
 * With an InferenceQueue, decisions take turns on its workers: InferAction() submits a job with a
 * copy of #m_observation. The action is asked for, and #m_reward handed over, when a worker takes
 * the job; the action is there when the worker is done and GetActionDelay() has passed after that.
 * While the queue blocks the agent, received messages wait and steps by StepInterval are left out.
 *
 * Code that needs an action before it continues calls RequestAction(), which returns it. With
 * attribute Synchronous, InferAction() has the action initiated before it returns; with synchronous
 * channels to observation and action applications, too, all from an observation to what is done
 * happens within the call that observes. Both need a decision that takes no simulated time.
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
     * @brief Say that the agent has reached the end of its task, by success or failure.
     *
     * Its last observation, reward and info are reported. Afterwards it neither decides nor reacts
     * to messages, and actions that are on their way are not executed.
     */
    void Terminate();

    /// Cut the agent's task short, although it has not reached its end. Otherwise as Terminate().
    void Truncate();

    /**
     * @brief Tell whether the agent has decided for the last time.
     * @return true after Terminate(), Truncate() or the end of the simulation
     */
    bool HasEnded() const;

    /**
     * @brief Send a message to other agents.
     * @param data the message
     * @param remoteAppId number of one agent; none: all that are connected
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void SendToAgent(Ptr<OpenGymDictContainer> data,
                     std::optional<uint32_t> remoteAppId = {},
                     std::optional<uint32_t> interfaceId = {});

    /**
     * @brief Send an action to action applications.
     * @param action the action
     * @param remoteAppId number of one action application; none: all that are connected
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void SendAction(Ptr<OpenGymDictContainer> action,
                    std::optional<uint32_t> remoteAppId = {},
                    std::optional<uint32_t> interfaceId = {});

    /**
     * @brief Give the agent what it reports beside its observation.
     * @param report returns values by name; GetExtraInfo() calls it
     */
    void SetReport(std::function<OpenGymInfo()> report);

    /**
     * TracedCallback signature of Inference.
     * @param [in] observation what the agent sees
     * @param [in] reward what it has earned since its last decision
     */
    typedef void (*InferenceTracedCallback)(Ptr<const OpenGymDataContainer> observation,
                                            double reward);

    /**
     * TracedCallback signature of Action.
     * @param [in] action what the agent does
     */
    typedef void (*ActionTracedCallback)(Ptr<const OpenGymDataContainer> action);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;
    void StartApplication() override;
    void StopApplication() override;
    bool SupportsInterfacesTo(ApplicationType type) const override;
    std::string GetMessageKindTo(ApplicationType type) const override;
    void OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data) override;
    void OnLastInterfaceDeleted(RlApplicationId remoteId) override;

    /**
     * @brief React to an observation, which is the newest one in #m_obsDataStruct.
     *
     * By default its only entry, or else the whole dict, becomes #m_observation. Without
     * StepInterval the agent then decides.
     *
     * @param remoteAppId number of the application that sent it
     */
    virtual void OnRecvObs(uint32_t remoteAppId);

    /**
     * @brief React to a reward, which is the newest one in #m_rewardDataStruct.
     *
     * By default the number under the key "reward", or else in the only entry, is added to
     * #m_reward. It is a Discrete, or an array of one element.
     *
     * @param remoteAppId number of the application that sent it
     */
    virtual void OnRecvReward(uint32_t remoteAppId);

    /**
     * @brief Tell whether the agent may ask for actions although nothing is connected with it.
     *
     * An agent that may not, and that no observation and no other agent reaches, is reported at the
     * end of the episode.
     *
     * @return true, as any class of a scenario may call InferAction()
     */
    virtual bool MayAskUnconnected() const;

    /**
     * @brief Look before each step by StepInterval.
     * @return what becomes #m_observation, by default what it is; null: leave the step out
     */
    virtual Ptr<OpenGymDataContainer> Observe();

    /**
     * @brief React to a message of another agent; by default ignore it.
     * @param remoteAppId number of the agent that sent it
     * @param payload the message
     */
    virtual void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload);

    /**
     * @brief Ask for an action and wait for it. InitiateAction() does not get it: the caller does
     *        something with it.
     * @return the action; null if the agent does not run, has ended or ends by this
     */
    Ptr<OpenGymDataContainer> RequestAction();

    /// Ask for an action, or queue to do so; InitiateAction() gets it after GetActionDelay().
    void InferAction();

    /**
     * @brief Ask for an action that is meant for one action application.
     * @param remoteAppId its number; InitiateActionForApp() gets the action
     */
    void InferAction(uint32_t remoteAppId);

    HistoryContainer m_obsDataStruct{1};     //!< Received observations by source
    HistoryContainer m_rewardDataStruct{1};  //!< Received rewards by source
    Ptr<OpenGymDataContainer> m_observation; //!< The agent's observation
    double m_reward{0};                      //!< Earned since the last decision

    // DEFIANCE's names of what GetInterfaces() returns.
    const InterfaceMap& m_observationInterfaces{GetInterfaces(OBSERVATION)}; //!< To observers
    const InterfaceMap& m_rewardInterfaces{GetInterfaces(REWARD)};           //!< To rewarders
    const InterfaceMap& m_agentInterfaces{GetInterfaces(AGENT)};             //!< To agents
    const InterfaceMap& m_actionInterfaces{GetInterfaces(ACTION)};           //!< To actors

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
     * @brief Do something with an action; by default send it to all action applications, under the
     * key "default".
     * @param action the action
     */
    virtual void InitiateAction(Ptr<OpenGymDataContainer> action);

    /**
     * @brief Do something with an action for one action application; by default send it there,
     * under the key "default", if there still is a channel.
     * @param remoteAppId number of the action application
     * @param action the action
     */
    virtual void InitiateActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action);

    /**
     * @brief Find out where the present observation comes from, when it is refused.
     * @return lines to show below the message; by default none
     */
    virtual std::string FindObservationOrigin();

    /**
     * @brief Get what is reported beside the observation; by default what the function given to
     * SetReport() returns, or nothing.
     * @return values by name
     */
    virtual OpenGymInfo GetExtraInfo();

    /**
     * @brief Get the time from asking for an action until it is there; with an inference queue,
     * from the end of its service.
     * @return by default attribute ActionDelay
     */
    virtual Time GetActionDelay();

  private:
    using ActionCallback = Callback<void, Ptr<OpenGymDataContainer>>; //!< Takes an action
    struct QueuedDecision;                                            //!< A job of the agent

    void SetInferenceQueue(Ptr<InferenceQueue> queue); //!< @param queue where to queue up, or null
    Ptr<InferenceQueue> GetInferenceQueue() const;     //!< @return where to queue up, or null

    /**
     * @brief Ask for an action or queue to do so, if the agent runs and has not ended.
     * @param callback takes the action
     */
    void Infer(ActionCallback callback);

    Ptr<OpenGymDataContainer> AskAndWait(); //!< @return the action, or null
    void RequireObservation() const;        //!< Abort while the agent has seen nothing

    void Enqueue(ActionCallback callback); //!< @param callback takes the action of a job to submit

    /**
     * @brief Ask for an action.
     * @param observation what the agent sees
     * @param waited how long the decision has waited for a worker, if that was needed
     * @param actionDelay time until the action is taken
     * @param callback takes the action
     */
    void Ask(Ptr<OpenGymDataContainer> observation,
             std::optional<Time> waited,
             Time actionDelay,
             ActionCallback callback);

    /**
     * @brief Get all that is reported beside the observation; what GetExtraInfo() says goes first.
     * @param waited how long a decision has waited for a worker; none: there is no such decision
     * @return values by name
     */
    OpenGymInfo CollectInfo(std::optional<Time> waited = {});

    /**
     * @brief Take an action for all action applications.
     * @param action the action
     */
    void TakeAction(Ptr<OpenGymDataContainer> action);

    /**
     * @brief Take an action for one action application.
     * @param remoteAppId number of the action application
     * @param action the action
     */
    void TakeActionForApp(uint32_t remoteAppId, Ptr<OpenGymDataContainer> action);

    /// Infer and schedule the next step.
    void Step();

    /**
     * @brief End the agent.
     * @param terminated whether its task is at its end
     */
    void End(bool terminated);

    /**
     * @brief Hand over what is left at the end of the simulation.
     * @return the last observation, reward and info
     */
    OpenGymFinalState GetFinalState();

    /**
     * @brief Tell which connection the agent has lacked so far.
     * @return what is missing, and the remedy; empty: nothing
     */
    std::string FindWiringFault() const;

    /**
     * @brief React to a message.
     * @param remoteId the application that sent it
     * @param data the message
     */
    void TakeIn(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data);

    void TakeInHeldRewards(); //!< React to rewards that are held, in order
    void TakeInHeld(); //!< React to messages that are held, in order, until the agent is blocked
    void Withdraw();   //!< Cancel jobs that wait, and forget messages that are held

    bool CanAsk() const;     //!< @return whether it may ask for an action now
    bool IsBlocked() const;  //!< @return whether a job of it finds no room in the inference queue
    bool IsDeciding() const; //!< @return whether it runs and has not ended

    uint32_t m_maxObservationHistoryLength;  //!< Observations to keep of each source
    uint32_t m_maxRewardHistoryLength;       //!< Rewards to keep of each source
    bool m_obsTimestamping;                  //!< Whether to note when observations arrive
    bool m_rewardTimestamping;               //!< Whether to note when rewards arrive
    Time m_stepInterval;                     //!< Time between two steps, zero: none by itself
    Time m_actionDelay;                      //!< Time until an action is there
    bool m_synchronous;                      //!< InferAction() waits for the action
    EventId m_stepEvent;                     //!< The next step
    bool m_hasEnded{false};                  //!< It has decided for the last time
    std::optional<bool> m_endsAtSetup;       //!< It ends when it is set up; whether terminated
    bool m_hasAsked{false};                  //!< It has asked for an action
    bool m_hasLostAction{false};             //!< An action of it was for no application
    Ptr<InferenceQueue> m_inferenceQueue;    //!< Where decisions queue up, or null
    ApplicationMover* m_mover{nullptr};      //!< The mover that is aggregated to it, or null
    std::function<OpenGymInfo()> m_report;   //!< Returns the extra infos; may be null
    std::optional<RlApplicationId> m_sender; //!< Whose message the agent reacts to at the moment
    /// Received messages that the agent has not reacted to, oldest first.
    std::deque<std::pair<RlApplicationId, Ptr<OpenGymDictContainer>>> m_heldMessages;
    TracedCallback<Ptr<const OpenGymDataContainer>, double> m_inferenceTrace; //!< Asked
    TracedCallback<Ptr<const OpenGymDataContainer>> m_actionTrace;            //!< Answered
};

} // namespace ns3

#endif /* AGENT_APPLICATION_H */
