// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_AGENT_APPLICATION_H
#define SCRIPT_AGENT_APPLICATION_H

#include "gym-values.h"
#include "message-content.h"
#include "script-collector.h"
#include "script-hook.h"
#include "script-place.h"

#include "ns3/agent-application.h"
#include "ns3/object-type.h"
#include "ns3/rl-simulation.h"

#include <cmath>
#include <optional>
#include <sstream>

namespace ns3
{

/**
 * @brief An agent whose code is Python. Methods without a function behave as in AgentApplication.
 */
class ScriptAgentApplication : public AgentApplication
{
  public:
    /// The names of the functions.
    struct Hooks
    {
        ScriptHook observation; //!< Takes the sender and the message of an observation
        ScriptHook reward;      //!< Takes the sender and the message of a reward
        ScriptHook message;     //!< Takes another agent and its message
        ScriptHook action;      //!< Takes an action
        ScriptHook observe;     //!< Called before each step of StepInterval: returns an observation
        ScriptHook info;        //!< Returns the info: a dict
        bool takesArrays{false}; //!< Whether `observation` gets NumPy's arrays instead of lists
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Setup() override
    {
        AgentApplication::Setup();
        OpenGymMultiAgentInterface::Get()->SetSilenceCb(
            GetId().ToString(),
            MakeCallback(&ScriptAgentApplication::FindSilence, Ptr<ScriptAgentApplication>(this)));
        TimeValue stepInterval;
        GetAttribute("StepInterval", stepInterval);
        m_decidesBySteps = !stepInterval.Get().IsZero();
    }

    /**
     * @param observations Space of observations.
     * @param actions Space of actions.
     */
    void SetSpaces(Ptr<OpenGymSpace> observations, Ptr<OpenGymSpace> actions)
    {
        m_observations = observations;
        m_actions = actions;
    }

    /// @return functions of the script
    Hooks& GetHooks()
    {
        return m_hooks;
    }

    /**
     * Request an action.
     *
     * @param observation The observation; None: the last one.
     * @param remoteAppId Number of the action application; nothing: all.
     */
    void Decide(nb::handle observation, std::optional<uint32_t> remoteAppId)
    {
        SetObservation(observation);
        if (!m_observation)
        {
            RaiseValueError("an agent cannot decide before its first observation");
        }
        remoteAppId ? InferAction(*remoteAppId) : InferAction();
    }

    /**
     * Request an action and wait for it.
     *
     * @param observation The observation; None: the last one.
     * @return the action; None if there is none
     */
    nb::object Request(nb::handle observation)
    {
        SetObservation(observation);
        if (!m_observation)
        {
            RaiseValueError("an agent cannot decide before its first observation");
        }
        return FromAction(RequestAction());
    }

    /// @return reward since the agent's last decision
    double GetReward() const
    {
        return m_reward;
    }

    /// @param reward reward since the agent's last decision
    void SetReward(double reward)
    {
        if (!std::isfinite(reward))
        {
            std::ostringstream text;
            text << "the reward of " << GetId() << " cannot be " << reward
                 << ": a reward is a finite number";
            RaiseValueError(text.str());
        }
        m_reward = reward;
    }

    /// @param observation new observation; None: unchanged
    void SetObservation(nb::handle observation)
    {
        if (!observation.is_none())
        {
            m_sender.reset();
            m_observation = ToContainer(observation, m_observations);
        }
    }

    /// @return the observation; None: nothing yet
    nb::object GetObservation() const
    {
        return FromContainer(m_observation);
    }

  protected:
    void DoDispose() override
    {
        for (auto* hook : {&m_hooks.observation,
                           &m_hooks.reward,
                           &m_hooks.message,
                           &m_hooks.action,
                           &m_hooks.observe,
                           &m_hooks.info})
        {
            hook->Drop();
        }
        AgentApplication::DoDispose();
    }

    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        if (m_hooks.observation)
        {
            const auto takesArrays = m_hooks.takesArrays;
            m_hooks.observation(remoteAppId,
                                takesArrays ? FromAction(message) : FromContainer(message));
            return;
        }
        m_observation = GetContent(message);
        if (!m_observations->FindFault(PeekPointer(m_observation), false).empty())
        {
            // A received list of numbers does not have the space's element type.
            Guarded([&] { SetObservation(FromContainer(m_observation)); },
                    [&] {
                        return DescribeMessage({ApplicationType::OBSERVATION, remoteAppId}) +
                               "on_observation() takes a value outside of its space\n";
                    });
        }
        m_sender = remoteAppId;
        if (!m_decidesBySteps)
        {
            InferAction();
        }
    }

    void OnRecvReward(uint32_t remoteAppId) override
    {
        const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
        if (m_hooks.reward)
        {
            m_hooks.reward(remoteAppId, FromContainer(message));
            return;
        }
        const auto number = ToNumber(GetContent(message, "reward"));
        if (!number)
        {
            std::ostringstream text;
            text << "\n"
                 << DescribeMessage({ApplicationType::REWARD, remoteAppId})
                 << "on_reward() takes a message without a single number under the key 'reward'\n"
                 << "TypeError: " << message << " is not a reward: send one number\n";
            RlSimulation::Fail(text.str());
        }
        if (!std::isfinite(*number))
        {
            std::ostringstream text;
            text << "\n"
                 << DescribeMessage({ApplicationType::REWARD, remoteAppId})
                 << "on_reward() takes a reward\nValueError: " << *number
                 << " is not a reward: send a finite number\n";
            RlSimulation::Fail(text.str());
        }
        m_reward += *number;
    }

    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override
    {
        m_hooks.message(remoteAppId, FromContainer(payload));
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        if (m_hooks.action)
        {
            m_hooks.action(FromAction(action));
        }
        else if (!m_actionInterfaces.empty()) // otherwise Python has warned before the episode
        {
            AgentApplication::InitiateAction(action);
        }
    }

    Ptr<OpenGymDataContainer> Observe() override
    {
        if (!m_hooks.observe)
        {
            return AgentApplication::Observe();
        }
        const auto observed = m_hooks.observe();
        (observed.is_none() ? m_wasSilent : m_hasObserved) = true;
        m_sender.reset();
        return observed.is_none() ? nullptr : GuardedAfter(m_hooks.observe, [&] {
            return ToContainer(observed, m_observations);
        });
    }

    OpenGymInfo GetExtraInfo() override
    {
        const auto values = m_hooks.info();
        return GuardedAfter(m_hooks.info, [&] { return ToInfo(values); });
    }

    /// @return a function that returned None in each call, if the agent got no observation; or
    /// empty
    std::string FindSilence() const
    {
        auto place = m_wasSilent && !m_hasObserved ? m_hooks.observe.Locate() : "";
        for (const auto& [observer, interfaces] : GetInterfaces(ApplicationType::OBSERVATION))
        {
            if (place.empty())
            {
                place = ReadSender({ApplicationType::OBSERVATION, observer},
                                   [](const auto& each) { return each.FindSilence(); });
            }
        }
        return place.empty() ? ""
                             : place + GetId().ToString() +
                                   " got no observation: this function returned None in each call";
    }

    std::string FindObservationOrigin() override
    {
        if (m_sender)
        {
            return FindSendingPlace({ApplicationType::OBSERVATION, *m_sender});
        }
        const auto place = FindPlace(); // the place of the call of decide() or request()
        return place.empty() ? m_hooks.observe.Locate() : place;
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return m_observations;
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return m_actions;
    }

  private:
    /// @param sender Sender of a message. @return lines about the message and its receiver
    std::string DescribeMessage(RlApplicationId sender) const
    {
        std::ostringstream text;
        text << FindSendingPlace(sender) << "  In what " << GetId() << " has received from "
             << sender << ": ";
        return text.str();
    }

    Hooks m_hooks;                    //!< Functions of the script
    bool m_decidesBySteps{false};     //!< Whether it has a StepInterval
    bool m_wasSilent{false};          //!< Whether observe() has returned None
    bool m_hasObserved{false};        //!< Whether observe() has returned an observation
    std::optional<uint32_t> m_sender; //!< Sender of the observation, if received
    Ptr<OpenGymSpace> m_observations; //!< Space of observations
    Ptr<OpenGymSpace> m_actions;      //!< Space of actions
};

inline DEFIANCE_OBJECT(ScriptAgentApplication, AgentApplication);

} // namespace ns3

#endif // SCRIPT_AGENT_APPLICATION_H
