// SPDX-License-Identifier: GPL-2.0-only

// A transmitter and a jammer choose channels at the same time; see card.md.

#include "environment-program.h"
#include "radio-game.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t TRANSMITTER = 0; // number of the player
constexpr uint32_t JAMMER = 1;
constexpr uint32_t MOST_CHANNELS = 32;
constexpr double LEAST_BANDWIDTH = 0.1; // in MHz
constexpr double MOST_BANDWIDTH = 100;
constexpr double MOST_LOSS = 60; // in dB

/**
 * Read numbers separated by commas.
 *
 * @param text The numbers, or an empty text.
 * @param least Least allowed number.
 * @param most Largest allowed number.
 * @param numbers Set to the numbers.
 * @return whether the text is valid
 */
bool
ReadNumbers(const std::string& text, double least, double most, std::vector<double>& numbers)
{
    numbers.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        std::istringstream stream(part);
        double number = 0;
        stream >> number;
        if (stream.fail() || stream.peek() != EOF || !(number >= least) || !(number <= most))
        {
            return false;
        }
        numbers.push_back(number);
    }
    return text.empty() || text.back() != ',';
}

/**
 * @brief A transmitter, its receiver, which listens on all channels, and a jammer.
 */
class Jamming : public RadioGame
{
  public:
    Jamming()
        : RadioGame("jamming", true)
    {
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("channels", "Number of channels.", m_channels, 2U, MOST_CHANNELS);
        simulation.AddValue(
            "bandwidths",
            "Bandwidths of the channels in MHz, each 0.1 to 100, such as 9,6,4; empty: 1 each.",
            m_bandwidths);
        simulation.AddValue("path_losses",
                            "Losses of the channels in dB, each 0 to 60, in addition to free "
                            "space, such as 0,10,20; empty: none.",
                            m_losses);
        simulation.AddValue("jammer_power",
                            "Transmit power of the jammer in dBm; the transmitter has 20.",
                            m_jammerPower,
                            -50.,
                            40.);
        simulation.AddValue(
            "budget",
            "Share of an episode's slots for which the jammer has energy; below 1 it has an "
            "additional action, to stay silent, and observes its remaining energy.",
            m_budget,
            0.,
            1.);
        simulation.AddChoice("role",
                             "Role of the agent against an opponent without an agent.",
                             m_role,
                             {"transmitter", "jammer"});
        RadioGame::Declare(simulation);
        simulation.AddWarmUp([] { Jamming().BuildDevices(); });
    }

    /**
     * @return the air of the parameters; null: the parameters contradict each other
     */
    std::unique_ptr<SlottedAir> MakeAir() const
    {
        std::vector<double> widths;
        std::vector<double> losses;
        const bool read = ReadNumbers(m_bandwidths, LEAST_BANDWIDTH, MOST_BANDWIDTH, widths) &&
                          ReadNumbers(m_losses, 0, MOST_LOSS, losses);
        if (widths.empty())
        {
            widths.resize(m_channels, 1);
        }
        losses.resize(losses.empty() ? m_channels : losses.size());
        if (!read || widths.size() != m_channels || losses.size() != m_channels)
        {
            return nullptr;
        }
        for (auto& width : widths)
        {
            width *= 1e6;
        }
        return std::make_unique<SlottedAir>(m_slot, widths, losses);
    }

    std::string FindContradiction() const override
    {
        const auto air = MakeAir();
        std::ostringstream fault;
        if (!air)
        {
            fault << "bandwidths=" << m_bandwidths << " and path_losses=" << m_losses
                  << " must each be empty, or have a number for each of channels=" << m_channels
                  << ", with commas between them: bandwidths from " << LEAST_BANDWIDTH << " to "
                  << MOST_BANDWIDTH << " MHz, path_losses from 0 to " << MOST_LOSS << " dB";
            return fault.str();
        }
        for (uint32_t channel = 0; channel < m_channels; channel++)
        {
            if (air->GetPayload(channel) == 0)
            {
                fault << "channel " << channel
                      << " cannot carry a frame in a slot; give it a larger bandwidth, or a "
                         "smaller path loss";
                return fault.str();
            }
        }
        if (m_role == "jammer" && !HasOpponent())
        {
            return "role=jammer is for opponent=random or sensing; with opponent=agent, each role "
                   "has an agent";
        }
        return RadioGame::FindContradiction();
    }

    uint32_t GetFirstPlayer() const override
    {
        return HasOpponent() && m_role == "jammer" ? JAMMER : TRANSMITTER;
    }

    std::vector<Ptr<SlotRadio>> BuildRadios() override
    {
        m_air = MakeAir();
        m_air->UseFreeSpace();
        BuildBase();
        for (uint32_t channel = 0; channel < m_channels; channel++)
        {
            m_mostPayload = std::max(m_mostPayload, m_air->GetPayload(channel));
            m_goodputs.push_back(ToGoodput(m_air->GetPayload(channel)));
        }
        const auto transmitter = BuildTransmitter(Vector(SlottedAir::DISTANCE, 0, 0));
        return {transmitter, BuildJammer()};
    }

    /**
     * @return a jammer
     */
    Ptr<SlotRadio> BuildJammer()
    {
        const auto jammer = MakeRadio();
        const auto place =
            SlottedAir::Place(jammer->GetObject<Node>(), Vector(-SlottedAir::DISTANCE, 0, 0));
        jammer->Listen(place);
        jammer->SendNoise(place, m_jammerPower);
        if (IsLimited())
        {
            const uint64_t slots =
                m_budget * (m_deployment.duration.GetNanoSeconds() / m_slot.GetNanoSeconds());
            jammer->SetBudget(std::min<uint64_t>(slots, UINT32_MAX));
            jammer->AllowSilence();
        }
        return jammer;
    }

    /**
     * @param payload Payload of a slot, in bytes.
     * @return the goodput in Mb/s
     */
    double ToGoodput(uint32_t payload) const
    {
        return payload * 8e-6 / m_slot.GetSeconds();
    }

    /**
     * @return whether the jammer lacks energy for some slots
     */
    bool IsLimited() const
    {
        return m_budget < 1;
    }

    uint32_t Answer(uint32_t player, uint32_t sensed) override
    {
        // The transmitter chooses any other channel.
        return player == JAMMER
                   ? sensed
                   : (sensed + 1 + GetRandom().GetInteger(0, m_channels - 2)) % m_channels;
    }

    double GetReward(uint32_t player) const override
    {
        const double delivered = m_radios[TRANSMITTER]->GetDelivered();
        return (player == TRANSMITTER ? 1 : -1) * delivered / m_mostPayload;
    }

    OpenGymInfo Report(uint32_t player) const override
    {
        auto info = RadioGame::Report(player);
        const auto delivered = m_radios[TRANSMITTER]->GetDelivered();
        info["role"] = player == TRANSMITTER ? "transmitter" : "jammer";
        info["success"] = int64_t{delivered > 0};
        info["goodput"] = ToGoodput(delivered);
        info["goodputs"] = MakeBoxContainer(m_goodputs);
        if (player == JAMMER && IsLimited())
        {
            info["energy_left"] = m_radios[JAMMER]->GetEnergyLeft();
        }
        return info;
    }

    std::string m_role{"transmitter"}; //!< Role of a single agent
    uint32_t m_channels{3};            //!< Number of channels
    std::string m_bandwidths;          //!< Bandwidths in MHz, with commas; empty: 1 each
    std::string m_losses;              //!< Losses in dB, with commas; empty: none
    double m_jammerPower{20};          //!< Power of the jammer in dBm
    double m_budget{1};                //!< Share of slots with energy for the jammer
    std::vector<float> m_goodputs;     //!< Undisturbed goodput of each channel, in Mb/s
    uint32_t m_mostPayload{1};         //!< Largest payload of a frame, in bytes
};

} // namespace

int
main(int argc, char* argv[])
{
    Jamming environment;
    return RunEnvironment(argc, argv, environment);
}
