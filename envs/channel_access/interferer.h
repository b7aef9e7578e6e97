// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERFERER_H
#define INTERFERER_H

#include "energy-sensor.h"
#include "noise-sender.h"
#include "slotted-air.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief Sends noise on one channel in each slot: channel after channel, on any, or where it heard
 * most in the last slot.
 */
class Interferer : public Object
{
  public:
    /// Which channel it takes.
    enum Pattern
    {
        PERIODIC, //!< The next one, from a channel drawn at the start
        RANDOM,   //!< One that is drawn
        SENSING,  //!< The one with the most energy in the last slot; it is silent if there is none
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Interferer();

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

    /**
     * TracedCallback signature of Sent.
     * @param [in] channel that it sends on, or -1
     */
    typedef void (*SentTracedCallback)(int32_t channel);

  private:
    void DoDispose() override;

    /**
     * @return the channel of this slot, or -1
     */
    int32_t ChooseChannel();

    Pattern m_pattern;                     //!< Which channel it takes
    uint32_t m_dwell;                      //!< Slots until it takes another one
    double m_activity;                     //!< Probability that it sends in a slot
    Ptr<UniformRandomVariable> m_random;   //!< Draws channels and silence
    std::unique_ptr<NoiseSender> m_sender; //!< Sends
    Ptr<EnergySensor> m_sensor;            //!< Hears
    uint32_t m_channels{0};                //!< That there are
    uint64_t m_slots{0};                   //!< That have begun
    int32_t m_channel{0};                  //!< Of the last slot
    TracedCallback<int32_t> m_sentTrace;   //!< A slot begins
};

} // namespace ns3

#endif // INTERFERER_H
