// SPDX-License-Identifier: GPL-2.0-only

#include "noise-sender.h"

#include "ns3/non-communicating-net-device.h"
#include "ns3/simulator.h"

namespace ns3
{

NoiseSender::NoiseSender(const SlottedAir& air,
                         Ptr<Node> node,
                         Ptr<MobilityModel> place,
                         double power)
    : m_generator(CreateObject<WaveformGenerator>())
{
    const auto& plan = air.GetPlan();
    for (uint32_t channel = 0; channel < plan.CountChannels(); channel++)
    {
        m_powers.push_back(plan.MakePower(channel, power));
    }
    const auto device = CreateObject<NonCommunicatingNetDevice>();
    device->SetChannel(air.GetAir());
    device->SetPhy(m_generator);
    node->AddDevice(device);
    m_generator->SetDevice(device);
    m_generator->SetMobility(place);
    m_generator->SetChannel(air.GetAir());
    m_generator->SetPeriod(air.GetSlot());
    m_generator->SetDutyCycle(air.GetFrameTime().GetSeconds() / air.GetSlot().GetSeconds());
}

void
NoiseSender::Send(uint32_t channel)
{
    m_generator->SetTxPowerSpectralDensity(m_powers.at(channel));
    m_generator->Start();
    Simulator::ScheduleNow(&WaveformGenerator::Stop, m_generator); // after one waveform
}

} // namespace ns3
