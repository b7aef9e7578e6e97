// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERFERER_H
#define INTERFERER_H

#include "energy-sensor.h"
#include "noise-sender.h"
#include "slotted-air.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief Sends noise on one channel in each slot: on each channel in turn, on a random one, or on
 * the one with the most energy in the last slot.
 */
class Interferer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param pattern Choice of the channel. periodic: each in turn, from a random channel at the
     * start; random: a random one; sensing: the one with the most energy in the last slot, or
     * silence without energy.
     * @param dwell Slots on each channel; not used for sensing.
     * @param activity Probability of sending in a slot.
     */
    Interferer(std::string pattern, uint32_t dwell, double activity);

    /**
     * Install the interferer on a node.
     *
     * @param air Channel of the radios, which lives as long as this.
     * @param node Node of the interferer.
     * @param place Position of the interferer.
     * @param power Power in dBm.
     */
    void Install(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    void Start();    //!< The first slot begins now
    void Transmit(); //!< Send in this slot, or stay silent

  private:
    void DoDispose() override;

    /**
     * @return the channel of this slot, or -1
     */
    int32_t ChooseChannel();

    std::string m_pattern;                 //!< Choice of channels
    uint32_t m_dwell;                      //!< Slots on each channel
    double m_activity;                     //!< Probability of sending in a slot
    Ptr<UniformRandomVariable> m_random;   //!< Draws channels and silence
    std::unique_ptr<NoiseSender> m_sender; //!< Sends noise
    Ptr<EnergySensor> m_sensor;            //!< Senses energy
    uint32_t m_channels{0};                //!< Number of channels
    uint64_t m_slots{0};                   //!< Number of slots so far
    int32_t m_channel{0};                  //!< Channel of the last slot
};

} // namespace ns3

#endif // INTERFERER_H
