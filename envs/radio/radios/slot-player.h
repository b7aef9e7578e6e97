// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOT_PLAYER_H
#define SLOT_PLAYER_H

#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <limits>

namespace ns3
{

/**
 * @brief A player's radio: in each slot it sends with the last chosen setting (its channel, or its
 * antenna), or is silent.
 *
 * It is silent until its first order, and when it has no energy.
 */
class SlotPlayer : public Object
{
  public:
    static constexpr int32_t SILENT = -1; //!< Setting of a silent slot

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Set the sending function.
     *
     * @param settings Number of settings.
     * @param send Sends in this slot, with a setting.
     */
    void SetSender(uint32_t settings, std::function<void(uint32_t)> send);

    void SetBudget(uint32_t slots); //!< @param slots number of slots with energy

    /**
     * Choose the setting of the next slot and later ones.
     *
     * @param action Number of a setting; other numbers: be silent.
     */
    void Choose(uint32_t action);

    void Transmit(); //!< Send as chosen, and reset the last slot's results

    /**
     * Record that a frame of this slot has arrived.
     *
     * @param bytes Payload of the frame.
     */
    void NotifyDelivered(uint32_t bytes);

    int32_t GetSetting() const;    //!< @return setting of the last slot, or SILENT
    uint32_t GetDelivered() const; //!< @return bytes delivered in the last slot
    double GetEnergyLeft() const;  //!< @return share of the remaining energy

  private:
    void DoDispose() override;

    std::function<void(uint32_t)> m_send;                    //!< Sends a frame or noise
    uint32_t m_settings{0};                                  //!< Number of settings
    uint32_t m_budget{std::numeric_limits<uint32_t>::max()}; //!< Number of slots with energy
    uint32_t m_spent{0};                                     //!< Number of used slots
    int32_t m_choice{SILENT};                                //!< Choice for the next slot
    int32_t m_setting{SILENT};                               //!< Setting of the last slot
    uint32_t m_delivered{0};                                 //!< Bytes delivered in the last slot
};

} // namespace ns3

#endif // SLOT_PLAYER_H
