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
 * @brief The part that an agent controls: in each slot it sends with the last chosen setting (its
 * channel, or its antenna), or is silent.
 *
 * It is silent until its first order, and when it has no energy left.
 */
class SlotPlayer : public Object
{
  public:
    static constexpr int32_t SILENT = -1; //!< In place of a setting

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Say how it sends.
     *
     * @param settings Number of settings.
     * @param send Sends in this slot, with a setting.
     */
    void SetSender(uint32_t settings, std::function<void(uint32_t)> send);

    void SetBudget(uint32_t slots); //!< @param slots that it has energy to send in

    /**
     * Choose for the next slot and those after it.
     *
     * @param action Number of a setting; one that there is not: be silent.
     */
    void Choose(uint32_t action);

    void Transmit(); //!< Send, as was chosen; what the last slot brought is forgotten

    /**
     * A frame of this slot has arrived.
     *
     * @param bytes Its payload.
     */
    void NotifyDelivered(uint32_t bytes);

    int32_t GetSetting() const;    //!< @return what was sent with in the last slot, or SILENT
    uint32_t GetDelivered() const; //!< @return payload that arrived in the last slot, in bytes
    double GetEnergyLeft() const;  //!< @return the share of its energy that it still has

  private:
    void DoDispose() override;

    std::function<void(uint32_t)> m_send;                    //!< Sends
    uint32_t m_settings{0};                                  //!< Number of settings
    uint32_t m_budget{std::numeric_limits<uint32_t>::max()}; //!< Slots that it has energy for
    uint32_t m_spent{0};                                     //!< Slots that it has sent in
    int32_t m_choice{SILENT};                                //!< For the next slot
    int32_t m_setting{SILENT};                               //!< Of the last slot
    uint32_t m_delivered{0};                                 //!< In the last slot, in bytes
};

} // namespace ns3

#endif // SLOT_PLAYER_H
