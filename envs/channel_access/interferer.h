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
 * @brief Sends noise on one channel in each slot: channel after channel, on any, or where it
 * sensed most in the last slot.
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
     * @param pattern Which channel it takes: periodic, the next one, from a channel drawn at the
     *        start; random, one that is drawn; sensing, the one with the most energy in the last
     *        slot, where it is silent if there is none.
     * @param dwell Slots until it takes another channel; not if it senses.
     * @param activity Probability that it sends in a slot.
     */
    Interferer(std::string pattern, uint32_t dwell, double activity);

    /**
     * Put it somewhere.
     *
     * @param air Where it sends, which lives as long as this.
     * @param node Whose it is.
     * @param place Where it is.
     * @param power In dBm.
     */
    void Install(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    void Start();    //!< The first slot begins now
    void Transmit(); //!< Send in this slot, or be silent

  private:
    void DoDispose() override;

    /**
     * @return the channel of this slot, or -1
     */
    int32_t ChooseChannel();

    std::string m_pattern;                 //!< Which channel it takes
    uint32_t m_dwell;                      //!< Slots until it takes another one
    double m_activity;                     //!< Probability that it sends in a slot
    Ptr<UniformRandomVariable> m_random;   //!< Draws channels and silence
    std::unique_ptr<NoiseSender> m_sender; //!< Sends
    Ptr<EnergySensor> m_sensor;            //!< Hears
    uint32_t m_channels{0};                //!< That there are
    uint64_t m_slots{0};                   //!< That have begun
    int32_t m_channel{0};                  //!< Of the last slot
};

} // namespace ns3

#endif // INTERFERER_H
