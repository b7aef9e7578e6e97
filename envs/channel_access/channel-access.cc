// SPDX-License-Identifier: GPL-2.0-only

// Radios choose a channel for each slot, beside an interferer and each other; see card.md.

#include "environment-program.h"
#include "radio-game.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MOST_CHANNELS = 32;
constexpr uint32_t MOST_RADIOS = 32;
constexpr double BANDWIDTH = 1e6; // of a channel, in Hz

/**
 * @brief Radios on a circle around a base station that listens on all channels, and an interferer.
 *
 * The interferer is a radio without an agent, the first one, which sends noise on one channel in
 * each slot.
 */
class ChannelAccess : public RadioGame
{
  public:
    ChannelAccess()
        : RadioGame("channel_access", false)
    {
    }

    uint32_t CountDevices() const override
    {
        return m_count;
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("channels", "Number of channels.", m_channels, 2U, MOST_CHANNELS);
        simulation.AddValue("radios", "Number of radios.", m_count, 1U, MOST_RADIOS);
        simulation.AddChoice(
            "interferer",
            "Interferer on one channel in each slot: periodic takes the channels in turn, random "
            "takes a random one, sensing takes the one with the most energy in the last slot.",
            m_pattern,
            {"periodic", "random", "sensing", "none"});
        simulation.AddValue("dwell",
                            "Slots until the interferer takes another channel.",
                            m_dwell,
                            1U,
                            1000U);
        simulation.AddValue("activity",
                            "Probability that the interferer sends in a slot.",
                            m_activity,
                            0.,
                            1.);
        simulation.AddValue("interferer_power",
                            "Transmit power of the interferer in dBm; radios have 20.",
                            m_interfererPower,
                            -50.,
                            40.);
        simulation.AddChoice(
            "reward",
            "Reward of an agent: the mean over all radios, or its own radio's reward.",
            m_reward,
            {"cooperative", "competitive"});
        simulation.AddValue(
            "may_wait",
            "Whether there is an additional action: to stay silent, for a reward of 0.",
            m_mayWait);
        RadioGame::Declare(simulation);
        simulation.AddWarmUp([] {
            ChannelAccess environment;
            environment.m_pattern = "sensing";
            environment.m_count = 2;
            environment.BuildDevices();
        });
    }

    std::string FindContradiction() const override
    {
        if (m_pattern == "none" &&
            (m_dwell != 1 || m_activity != 1 || m_interfererPower != SlottedAir::POWER))
        {
            return "interferer=none does not use dwell, activity and interferer_power";
        }
        if (IsCentral() && m_reward == "competitive")
        {
            return "reward=competitive needs an agent for each radio: placement=local or "
                   "placement=remote";
        }
        return RadioGame::FindContradiction();
    }

    uint32_t GetFirstPlayer() const override
    {
        return m_pattern == "none" ? 0 : 1;
    }

    std::vector<Ptr<SlotRadio>> BuildRadios() override
    {
        m_air = std::make_unique<SlottedAir>(m_slot, std::vector<double>(m_channels, BANDWIDTH));
        m_air->UseFreeSpace();
        BuildBase();
        std::vector<Ptr<SlotRadio>> radios;
        for (uint32_t number = 0; number < m_count; number++)
        {
            radios.push_back(BuildTransmitter(GetPosition(number)));
            if (m_mayWait)
            {
                radios.back()->AllowSilence();
            }
        }
        if (m_pattern != "none")
        {
            radios.insert(radios.begin(), BuildInterferer()); // sends first
        }
        return radios;
    }

    /**
     * @param number Number of a position on the circle.
     * @return the position
     */
    Vector GetPosition(uint32_t number) const
    {
        const auto angle = 2 * M_PI * number / (m_count + 1);
        return {SlottedAir::DISTANCE * std::cos(angle), SlottedAir::DISTANCE * std::sin(angle), 0};
    }

    /**
     * Build the interferer, and draw its first channel.
     *
     * @return the interferer
     */
    Ptr<SlotRadio> BuildInterferer()
    {
        const auto radio = MakeRadio();
        const auto place = SlottedAir::Place(radio->GetObject<Node>(), GetPosition(m_count));
        radio->SendNoise(place, m_interfererPower);
        if (m_pattern == "sensing")
        {
            radio->Listen(place);
        }
        m_channel = DrawChannel();
        return radio;
    }

    /**
     * @return a random channel
     */
    int32_t DrawChannel()
    {
        return static_cast<int32_t>(GetRandom().GetInteger(0, m_channels - 1));
    }

    void ChooseForOthers() override
    {
        if (m_pattern == "none")
        {
            return;
        }
        auto& interferer = *m_radios.front();
        const bool isDue = m_slotCount % m_dwell == 0;
        if (isDue && m_pattern == "sensing")
        {
            m_channel = interferer.FindSignal();
        }
        else if (isDue && m_slotCount > 0)
        {
            m_channel = m_pattern == "random" ? DrawChannel()
                                              : (m_channel + 1) % static_cast<int32_t>(m_channels);
        }
        m_slotCount++;
        const bool isActive = GetRandom().GetValue() < m_activity;
        interferer.Choose(isActive ? m_channel : SlotRadio::SILENT);
    }

    /**
     * @param radio A radio.
     * @return reward of its last slot
     */
    static double GetOutcome(const SlotRadio& radio)
    {
        if (radio.GetSetting() == SlotRadio::SILENT)
        {
            return 0;
        }
        return radio.GetDelivered() > 0 ? 1 : -1;
    }

    double GetReward(uint32_t player) const override
    {
        if (m_reward == "competitive")
        {
            return GetOutcome(*m_radios[player]);
        }
        if (IsCentral())
        {
            // The agent adds the rewards of all radios.
            return GetOutcome(*m_radios[player]) / m_count;
        }
        double sum = 0;
        for (uint32_t number = 0; number < m_count; number++)
        {
            sum += GetOutcome(*m_radios[GetFirstPlayer() + number]);
        }
        return sum / m_count;
    }

    uint32_t m_channels{4};              //!< Number of channels
    uint32_t m_count{1};                 //!< Number of radios with agents
    std::string m_pattern{"periodic"};   //!< Pattern of the interferer, or none
    uint32_t m_dwell{1};                 //!< Slots of the interferer on each channel
    double m_activity{1};                //!< Probability that the interferer sends in a slot
    double m_interfererPower{20};        //!< Power of the interferer in dBm
    std::string m_reward{"cooperative"}; //!< Kind: cooperative or competitive
    bool m_mayWait{false};               //!< Whether an action is to be silent
    uint64_t m_slotCount{0};             //!< Number of slots so far
    int32_t m_channel{0};                //!< Last channel of the interferer
};

} // namespace

int
main(int argc, char* argv[])
{
    ChannelAccess environment;
    return RunEnvironment(argc, argv, environment);
}
