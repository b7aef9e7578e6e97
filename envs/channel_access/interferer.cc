// SPDX-License-Identifier: GPL-2.0-only

#include "interferer.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Interferer);

namespace
{

constexpr int64_t STREAM = 200000; // after those of access networks
constexpr int32_t SILENT = -1;     // instead of a channel

} // namespace

TypeId
Interferer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Interferer").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

Interferer::Interferer(std::string pattern, uint32_t dwell, double activity)
    : m_pattern(std::move(pattern)),
      m_dwell(dwell),
      m_activity(activity),
      m_random(CreateObject<UniformRandomVariable>()),
      m_sensor(CreateObject<EnergySensor>())
{
    m_random->SetStream(STREAM);
}

void
Interferer::DoDispose()
{
    m_sender.reset();
    m_sensor = nullptr;
    m_random = nullptr;
    Object::DoDispose();
}

void
Interferer::Install(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power)
{
    m_sender = std::make_unique<NoiseSender>(air, node, place, power);
    m_channels = air.GetPlan().CountChannels();
    if (m_pattern == "sensing")
    {
        m_sensor->Install(node);
        m_sensor->Listen(air, air.GetPlan().GetWideModel(), place);
    }
}

void
Interferer::Start()
{
    m_sensor->Start();
    m_channel = m_random->GetInteger(0, m_channels - 1);
}

void
Interferer::Transmit()
{
    m_channel = ChooseChannel();
    m_slots++;
    if (m_random->GetValue() < m_activity && m_channel != SILENT)
    {
        m_sender->Send(m_channel);
    }
}

int32_t
Interferer::ChooseChannel()
{
    if (m_pattern == "sensing")
    {
        const auto& levels = m_sensor->GetLevels();
        const auto most = std::max_element(levels.begin(), levels.end());
        return *most < EnergySensor::LEAST_SIGNAL ? SILENT
                                                  : static_cast<int32_t>(most - levels.begin());
    }
    if (m_slots == 0 || m_slots % m_dwell != 0)
    {
        return m_channel;
    }
    return m_pattern == "random" ? static_cast<int32_t>(m_random->GetInteger(0, m_channels - 1))
                                 : (m_channel + 1) % static_cast<int32_t>(m_channels);
}

} // namespace ns3
