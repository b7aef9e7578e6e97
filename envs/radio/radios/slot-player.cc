// SPDX-License-Identifier: GPL-2.0-only

#include "slot-player.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SlotPlayer);

TypeId
SlotPlayer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SlotPlayer").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

void
SlotPlayer::DoDispose()
{
    m_send = nullptr;
    Object::DoDispose();
}

void
SlotPlayer::SetSender(uint32_t settings, std::function<void(uint32_t)> send)
{
    m_settings = settings;
    m_send = std::move(send);
}

void
SlotPlayer::SetBudget(uint32_t slots)
{
    m_budget = slots;
}

void
SlotPlayer::Choose(uint32_t action)
{
    m_choice = action < m_settings ? static_cast<int32_t>(action) : SILENT;
}

void
SlotPlayer::Transmit()
{
    m_delivered = 0;
    m_setting = m_spent < m_budget ? m_choice : SILENT;
    if (m_setting != SILENT && m_send)
    {
        m_spent++;
        m_send(m_setting);
    }
}

void
SlotPlayer::NotifyDelivered(uint32_t bytes)
{
    m_delivered += bytes;
}

int32_t
SlotPlayer::GetSetting() const
{
    return m_setting;
}

uint32_t
SlotPlayer::GetDelivered() const
{
    return m_delivered;
}

double
SlotPlayer::GetEnergyLeft() const
{
    return m_budget == 0 ? 0 : 1 - static_cast<double>(m_spent) / m_budget;
}

} // namespace ns3
