// SPDX-License-Identifier: GPL-2.0-only

#include "radio-game.h"

#include "periodic-agent-application.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t STREAM = 200000; // of draws, after those of access networks

/**
 * @brief Chooses the setting of a radio, or of several radios, for the next slot.
 *
 * It decides at its start, and then once a slot, by the samples received so far. A sample is a
 * radio's measurement in a slot, each number from 0 to 1.
 *
 * Observation: Box of float32, for each radio its last samples, newest first. If the agent observes
 * its actions, as many actions follow, newest first, each one-hot. Slots before the first one are
 * 0. Action: Discrete, or for several radios MultiDiscrete.
 */
class SlotAgentApplication : public PeriodicAgentApplication
{
  public:
    /**
     * @param radios Radios of the agent.
     * @param slot Time between two decisions.
     * @param radio One of the radios, which all have as many actions and numbers in a sample.
     * @param history Samples in an observation.
     * @param observesActions Whether an agent observes its own actions.
     */
    SlotAgentApplication(const AgentDevices& radios,
                         Time slot,
                         const SlotRadio& radio,
                         uint32_t history,
                         bool observesActions)
        : PeriodicAgentApplication(radios, slot),
          m_actions(radio.CountActions()),
          m_sampleSize(radio.Observe().size()),
          m_history(history),
          m_observesActions(observesActions),
          m_memories(radios.count)
    {
    }

  private:
    /// The known slots of a radio, newest first.
    struct Memory
    {
        std::deque<std::vector<float>> samples; //!< The measurement
        std::deque<int64_t> actions;            //!< The action
    };

    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        const auto sample = message->Get("sample")->GetObject<OpenGymBoxContainer<float>>();
        Remember(m_memories.at(remoteAppId - m_devices.first).samples, sample->GetData());
    }

    Ptr<OpenGymDataContainer> Summarise() override
    {
        const auto size = GetObservationSize();
        std::vector<float> observed(m_devices.count * size);
        for (uint32_t radio = 0; radio < m_devices.count; radio++)
        {
            const auto& [samples, actions] = m_memories[radio];
            auto place = observed.begin() + radio * size;
            for (const auto& sample : samples)
            {
                place = std::copy(sample.begin(), sample.end(), place);
            }
            place = observed.begin() + radio * size + m_history * m_sampleSize;
            for (const auto action : actions)
            {
                *(place + action) = 1;
                place += m_actions;
            }
        }
        return MakeBoxContainer(std::move(observed));
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(m_devices.count * GetObservationSize(), 0, 1);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeChoices(m_actions);
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        const auto all = DynamicCast<OpenGymMultiDiscreteContainer>(action);
        for (uint32_t radio = 0; radio < m_devices.count && m_observesActions; radio++)
        {
            Remember(m_memories[radio].actions,
                     all ? all->GetValue(radio)
                         : action->GetObject<OpenGymDiscreteContainer>()->GetValue());
        }
        PeriodicAgentApplication::InitiateAction(action);
    }

    /**
     * @return the numbers of a radio in an observation
     */
    uint32_t GetObservationSize() const
    {
        return m_history * (m_sampleSize + (m_observesActions ? m_actions : 0));
    }

    /**
     * Add the newest value of a memory, and forget the oldest one.
     *
     * @param values The remembered values.
     * @param value The newest value.
     */
    template <typename T>
    void Remember(std::deque<T>& values, T value) const
    {
        values.push_front(std::move(value));
        if (values.size() > m_history)
        {
            values.pop_back();
        }
    }

    uint32_t m_actions;             //!< Number of actions of a radio
    uint32_t m_sampleSize;          //!< Numbers of a radio's sample
    uint32_t m_history;             //!< Samples in an observation
    bool m_observesActions;         //!< Whether the agent observes its own actions
    std::vector<Memory> m_memories; //!< Memory of each radio
};

} // namespace

void
RadioGame::Declare(RlSimulation& simulation)
{
    if (m_isDuel)
    {
        simulation.AddChoice("opponent",
                             "Opponent: a second agent, a random player (random), or a player of "
                             "the best response to the agent's last sensed action (sensing).",
                             m_opponent,
                             {"agent", "random", "sensing"});
    }
    simulation.AddValue("slot",
                        "Length of a slot, in which each player sends one frame.",
                        m_slot,
                        MicroSeconds(100),
                        Seconds(1));
    simulation.AddValue("history", "Number of past slots in an observation.", m_history, 1U, 1000U);
    simulation.AddValue("observe_actions",
                        "Whether an observation also has the actions of these slots.",
                        m_observeActions);
}

std::string
RadioGame::FindContradiction() const
{
    std::ostringstream fault;
    if (m_deployment.duration < m_slot)
    {
        fault << "duration=" << m_deployment.duration.As(Time::MS)
              << " is shorter than slot=" << m_slot.As(Time::MS) << ", in which one frame is sent";
    }
    return fault.str();
}

NodeContainer
RadioGame::BuildDevices()
{
    m_radios = BuildRadios();
    NodeContainer nodes;
    for (uint32_t device = 0; device < CountDevices(); device++)
    {
        nodes.Add(m_radios.at(GetFirstPlayer() + device)->GetObject<Node>());
    }
    return nodes;
}

void
RadioGame::BuildBase()
{
    const auto node = CreateObject<Node>();
    const auto place = SlottedAir::Place(node, Vector(0, 0, 0));
    m_base = std::make_unique<FrameReceiver>(*m_air, node);
    for (uint32_t channel = 0; channel < m_air->CountChannels(); channel++)
    {
        m_addresses.push_back(m_base->Listen(channel, place));
    }
}

Ptr<SlotRadio>
RadioGame::MakeRadio()
{
    const auto radio = CreateObject<SlotRadio>(*m_air);
    CreateObject<Node>()->AggregateObject(radio);
    return radio;
}

Ptr<SlotRadio>
RadioGame::BuildTransmitter(const Vector& position)
{
    const auto radio = MakeRadio();
    const auto place = SlottedAir::Place(radio->GetObject<Node>(), position);
    radio->Listen(place);
    radio->SendFrames(place, *m_base, m_addresses);
    return radio;
}

void
RadioGame::StartDevices()
{
    for (const auto& radio : m_radios)
    {
        radio->Start();
    }
    Simulator::Schedule(m_slot / 10, &RadioGame::Transmit, this);
}

void
RadioGame::Transmit()
{
    Simulator::Schedule(m_slot, &RadioGame::Transmit, this);
    ChooseForOthers();
    for (const auto& radio : m_radios)
    {
        radio->Transmit();
    }
}

void
RadioGame::ChooseForOthers()
{
    if (HasOpponent())
    {
        const auto player = 1 - GetFirstPlayer();
        auto& radio = *m_radios[player];
        const auto sensed = radio.FindSignal();
        radio.Choose(m_opponent == "sensing" && sensed != SlotRadio::SILENT
                         ? Answer(player, sensed)
                         : GetRandom().GetInteger(0, radio.CountSettings() - 1));
    }
}

UniformRandomVariable&
RadioGame::GetRandom()
{
    if (!m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(STREAM);
    }
    return *m_random;
}

DeviceApplications
RadioGame::MakeApplications(uint32_t device)
{
    const auto player = GetFirstPlayer() + device;
    const auto radio = m_radios.at(player);
    auto observation = CreateObject<CallableObservationApplication>(
        radio,
        "Measured",
        [radio](const std::vector<float>&) -> Ptr<OpenGymDataContainer> {
            return MakeDictContainer("sample", MakeBoxContainer(radio->Observe()));
        });
    auto reward = CreateObject<CallableRewardApplication>(m_slot, [this, player]() -> double {
        return GetReward(player);
    });
    auto action =
        CreateObject<CallableActionApplication>([radio](Ptr<OpenGymDataContainer> chosen) {
            radio->Choose(chosen->GetObject<OpenGymDiscreteContainer>()->GetValue());
        });
    return {.observation = observation, .reward = reward, .action = action};
}

Ptr<AgentApplication>
RadioGame::MakeAgent(uint32_t agent)
{
    const auto player = GetFirstPlayer() + agent;
    const auto made = CreateObject<SlotAgentApplication>(GetDevicesOf(agent),
                                                         m_slot,
                                                         *m_radios.at(player),
                                                         m_history,
                                                         m_observeActions);
    made->SetReport([this, player] { return Report(player); });
    return made;
}

OpenGymInfo
RadioGame::Report(uint32_t player) const
{
    if (!IsCentral())
    {
        const auto& radio = *m_radios.at(player);
        return {{"channels", int64_t(radio.GetLevels().size())},
                {"channel", int64_t{radio.GetSetting()}},
                {"success", int64_t{radio.GetDelivered() > 0}},
                {"energy", MakeBoxContainer(radio.GetLevels())}};
    }
    std::vector<int32_t> channels;
    std::vector<int32_t> successes;
    std::vector<float> energy;
    for (uint32_t device = 0; device < CountDevices(); device++)
    {
        const auto& radio = *m_radios.at(GetFirstPlayer() + device);
        channels.push_back(radio.GetSetting());
        successes.push_back(radio.GetDelivered() > 0);
        energy.insert(energy.end(), radio.GetLevels().begin(), radio.GetLevels().end());
    }
    return {{"channels", int64_t(energy.size() / CountDevices())},
            {"channel", MakeBoxContainer(std::move(channels))},
            {"success", MakeBoxContainer(std::move(successes))},
            {"energy", MakeBoxContainer(std::move(energy))}};
}

} // namespace ns3
