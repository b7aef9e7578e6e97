// SPDX-License-Identifier: GPL-2.0-only

// Agents whose task is to name an observed number. The task is learned in seconds, with discrete or
// continuous actions, action masks, agents of different rates, and agents that leave. An agent
// keeps one container for its observation, and changes it and the container of its action in place.

#include "ns3/abort.h"
#include "ns3/core-module.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"

#include <cmath>
#include <limits>

using namespace ns3;

namespace
{

constexpr int64_t ACTIONS = 4;

class Guesser : public SimpleRefCount<Guesser>
{
  public:
    Guesser(const std::string& name, Time interval, bool continuous, const std::string& masks)
        : m_name(name),
          m_interval(interval),
          m_continuous(continuous),
          m_masks(masks)
    {
    }

    void Join(uint32_t decisions)
    {
        m_lastDecision = decisions;
        auto interface = OpenGymMultiAgentInterface::Get();
        Ptr<OpenGymSpace> observations = MakeBoxSpace<float>(2, -1, 1);
        if (m_masks == "observation")
        {
            observations = MakeDictSpace("action_mask",
                                         MakeBoxSpace<int8_t>(ACTIONS, 0, 1),
                                         "observation",
                                         observations);
        }
        Ptr<OpenGymSpace> actions = MakeDiscreteSpace(ACTIONS);
        if (m_continuous)
        {
            actions = MakeBoxSpace<float>(1, -1, 1);
        }
        interface->SetGetObservationSpaceCb(m_name, Callback<Ptr<OpenGymSpace>>([observations]() {
                                                return observations;
                                            }));
        interface->SetGetActionSpaceCb(m_name, Callback<Ptr<OpenGymSpace>>([actions]() {
                                           return actions;
                                       }));
        interface->SetFinalStateCb(m_name, Callback<OpenGymFinalState>([this]() {
                                       return OpenGymFinalState{Observe(), m_reward, Infos()};
                                   }));
        Simulator::ScheduleNow(&Guesser::Ask, this);
    }

  private:
    void Ask()
    {
        auto interface = OpenGymMultiAgentInterface::Get();
        m_target = m_random->GetInteger(0, ACTIONS - 1);
        if (m_decisions == m_lastDecision)
        {
            interface->NotifyAgentEnd(m_name, Observe(), m_reward, true, Infos());
            return;
        }
        const double reward = m_reward;
        m_reward = 0;
        interface->NotifyCurrentState(m_name,
                                      Observe(),
                                      reward,
                                      false,
                                      Infos(),
                                      Time(0),
                                      MakeCallback(&Guesser::Act, this));
    }

    void Act(Ptr<OpenGymDataContainer> action)
    {
        if (m_continuous)
        {
            const float guess = action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
            m_reward = 1 - std::abs(guess - Scaled());
        }
        else
        {
            auto chosen = action->GetObject<OpenGymDiscreteContainer>();
            const auto guess = chosen->GetValue();
            NS_ABORT_MSG_IF(m_masks != "none" && !Mask()[guess], m_name << " chose " << guess);
            m_reward = guess == m_target;
            chosen->SetValue((guess + 1) % ACTIONS);
        }
        m_decisions++;
        Simulator::Schedule(m_interval, &Guesser::Ask, this);
    }

    float Scaled() const
    {
        return 2.0F * m_target / (ACTIONS - 1) - 1;
    }

    // The target and one other action are allowed.
    std::vector<int8_t> Mask() const
    {
        std::vector<int8_t> mask(ACTIONS, 0);
        mask[m_target] = 1;
        mask[(m_target + 1 + m_decisions % 3) % ACTIONS] = 1;
        return mask;
    }

    Ptr<OpenGymDataContainer> Observe() const
    {
        m_seen->SetData({Scaled(), static_cast<float>(m_decisions % 2)});
        if (m_masks == "observation")
        {
            return MakeDictContainer("action_mask",
                                     MakeBoxContainer(Mask()),
                                     "observation",
                                     m_seen);
        }
        return m_seen;
    }

    OpenGymInfo Infos() const
    {
        OpenGymInfo infos{{"decisions", static_cast<int64_t>(m_decisions)}};
        if (m_masks == "info")
        {
            infos["action_mask"] = MakeBoxContainer(Mask());
        }
        return infos;
    }

    std::string m_name;
    Time m_interval;
    bool m_continuous;
    std::string m_masks;
    uint32_t m_lastDecision{std::numeric_limits<uint32_t>::max()};
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    Ptr<OpenGymBoxContainer<float>> m_seen{MakeBoxContainer<float>(2)};
    int64_t m_target{0};
    uint32_t m_decisions{0};
    double m_reward{0};
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string masks = "none";
    uint32_t agents = 1;
    bool continuous = false;
    bool uneven = false;
    bool leaving = false;
    Time interval = MilliSeconds(10);
    Time duration = MilliSeconds(95);
    RlSimulation simulation("targets");
    simulation.AddChoice("masks", "Place of masks.", masks, {"none", "info", "observation"});
    simulation.AddValue("agents", "Number of agents.", agents, 1U, 100U);
    simulation.AddValue("continuous", "Whether actions are numbers in [-1, 1].", continuous);
    simulation.AddValue("uneven", "Whether agent i decides in every (i + 1)-th round.", uneven);
    simulation.AddValue("leaving", "Whether agent i ends after 2 (i + 1) decisions.", leaving);
    simulation.AddValue("interval", "Time between two decisions.", interval);
    simulation.AddValue("duration", "Simulated time.", duration, Time(0), Hours(1));
    simulation.Parse(argc, argv);

    std::vector<Ptr<Guesser>> guessers;
    for (uint32_t i = 0; i < agents; i++)
    {
        const Time each = uneven ? interval * (i + 1) : interval;
        const auto name = "agent_" + std::to_string(i);
        guessers.push_back(Create<Guesser>(name, each, continuous, masks));
        guessers.back()->Join(leaving ? 2 * (i + 1) : std::numeric_limits<uint32_t>::max());
    }
    return simulation.Run(duration);
}
