// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOT_RADIO_H
#define SLOT_RADIO_H

#include "slotted-air.h"

#include "ns3/address.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/spectrum-analyzer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

class SlotRadio;

/**
 * @brief Receivers of a node, each tuned to one channel. They count the received frames at the
 * radios that sent them.
 *
 * A receiver takes the signal that arrives first, and loses it if other signals leave it less
 * capacity than the frame needs (ShannonSpectrumErrorModel).
 */
class FrameReceiver
{
  public:
    /**
     * @param air Air to listen to, which lives as long as this object.
     * @param node Node of the receivers.
     */
    FrameReceiver(const SlottedAir& air, Ptr<Node> node);
    FrameReceiver(const FrameReceiver&) = delete;
    FrameReceiver& operator=(const FrameReceiver&) = delete;

    /**
     * Add a receiver.
     *
     * @param channel Number of the receiver's channel.
     * @param place Position of the antenna.
     * @return address of the receiver
     */
    Address Listen(uint32_t channel, Ptr<MobilityModel> place);

    /**
     * Count the frames of a sender to this node.
     *
     * @param sender Source address of the frames.
     * @param radio Radio of the sender.
     */
    void Count(const Address& sender, Ptr<SlotRadio> radio)
    {
        m_senders[sender] = radio;
    }

  private:
    /// Process a frame, as a protocol handler of the node.
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    const SlottedAir& m_air;                     //!< Air of the receiver
    Ptr<Node> m_node;                            //!< Node of the receiver
    std::map<Address, Ptr<SlotRadio>> m_senders; //!< Radios by source address
};

/**
 * @brief A player's radio: in each slot it sends with the last chosen setting (its channel, or its
 * antenna), or is silent, and measures the signals of others.
 *
 * It is silent until its first order, and when it has no energy. Its sensor measures the mean power
 * in each band of the last slot, by ns-3's SpectrumAnalyzer: a level is in dB above the analyzer's
 * thermal noise. The node's own signals are not measured.
 */
class SlotRadio : public Object
{
  public:
    static constexpr int32_t SILENT = -1; //!< Setting of a silent slot

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Create a radio without transmitters and sensors, which the caller aggregates to its node.
     *
     * @param air Air of the radio, which lives as long as this object.
     */
    explicit SlotRadio(const SlottedAir& air)
        : m_air(air)
    {
    }

    /**
     * Measure the signals in all channels at an antenna.
     *
     * @param place Position of the antenna.
     */
    void Listen(Ptr<MobilityModel> place);

    /**
     * Add a transmitter of frames: an AlohaNoackNetDevice, tuned to a channel for each frame, which
     * takes a slot's whole sending time. Each channel is a setting.
     *
     * @param place Position of the antenna.
     * @param receiver Node that receives the frames.
     * @param addresses Address of its receiver on each channel.
     */
    void SendFrames(Ptr<MobilityModel> place,
                    FrameReceiver& receiver,
                    const std::vector<Address>& addresses);

    /**
     * Add a transmitter of noise for a slot's sending time. Each channel is a setting.
     *
     * @param place Position of the antenna.
     * @param power Power in dBm.
     */
    void SendNoise(Ptr<MobilityModel> place, double power);

    /// Add an action: to be silent
    void AllowSilence()
    {
        m_mayBeSilent = true;
    }

    /**
     * Limit the energy. The radio observes the remaining energy.
     *
     * @param slots Number of slots with energy.
     */
    void SetBudget(uint32_t slots)
    {
        m_budget = slots;
    }

    void Start(); //!< The first slot begins now

    /**
     * Choose the setting of the next slot and later ones.
     *
     * @param action Number of a setting; other numbers: be silent.
     */
    void Choose(uint32_t action)
    {
        m_choice = action < m_settings.size() ? static_cast<int32_t>(action) : SILENT;
    }

    void Transmit(); //!< Send as chosen, and reset the last slot's results

    /**
     * Record that a frame of this slot has arrived.
     *
     * @param bytes Payload of the frame.
     */
    void NotifyDelivered(uint32_t bytes)
    {
        m_delivered += bytes;
    }

    /// @return number of settings
    uint32_t CountSettings() const
    {
        return m_settings.size();
    }

    /// @return number of actions
    uint32_t CountActions() const
    {
        return m_settings.size() + (m_mayBeSilent ? 1 : 0);
    }

    /// @return setting of the last slot, or SILENT
    int32_t GetSetting() const
    {
        return m_setting;
    }

    /// @return bytes delivered in the last slot
    uint32_t GetDelivered() const
    {
        return m_delivered;
    }

    /// @return share of the remaining energy
    double GetEnergyLeft() const
    {
        const auto budget = m_budget.value_or(std::numeric_limits<uint32_t>::max());
        return budget == 0 ? 0 : 1 - static_cast<double>(m_spent) / budget;
    }

    /// @return levels of the last slot, in dB
    const std::vector<float>& GetLevels() const
    {
        return m_levels;
    }

    int32_t FindSignal() const; //!< @return band of the strongest signal in the last slot, or -1
    std::vector<float> Observe() const; //!< @return levels and limited energy, from 0 to 1

    /**
     * TracedCallback signature of Measured.
     * @param [in] levels levels of the last slot, in dB, one for each band
     */
    typedef void (*MeasuredTracedCallback)(const std::vector<float>& levels);

  private:
    /// An analyzer at a position.
    struct Analyzer
    {
        Ptr<SpectrumAnalyzer> model; //!< ns-3's analyzer
        uint32_t first;              //!< Number of the first band
        double noise;                //!< Noise in W/Hz
    };

    void DoDispose() override;

    /**
     * Store a report.
     *
     * @param analyzer Number of the analyzer.
     * @param power Mean power of the last slot.
     */
    void Note(uint32_t analyzer, Ptr<const SpectrumValue> power);

    const SlottedAir& m_air;                              //!< Air of the radio
    std::vector<std::function<void()>> m_settings;        //!< Send a frame or noise in this slot
    bool m_mayBeSilent{false};                            //!< Whether silence is an action
    std::optional<uint32_t> m_budget;                     //!< Number of slots with energy
    uint32_t m_spent{0};                                  //!< Number of used slots
    int32_t m_choice{SILENT};                             //!< Choice for the next slot
    int32_t m_setting{SILENT};                            //!< Setting of the last slot
    uint32_t m_delivered{0};                              //!< Bytes delivered in the last slot
    Ptr<NetDevice> m_sensor;                              //!< Device of all analyzers
    std::vector<Analyzer> m_analyzers;                    //!< All analyzers
    std::vector<float> m_levels;                          //!< Levels of the last slot, in dB
    TracedCallback<const std::vector<float>&> m_measured; //!< A slot has ended
};

} // namespace ns3

#endif // SLOT_RADIO_H
