// SPDX-License-Identifier: GPL-2.0-only

#include "frame-sender.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"

namespace ns3
{

FrameSender::FrameSender(const SlottedAir& air,
                         Ptr<Node> node,
                         Ptr<MobilityModel> place,
                         double power)
    : m_air(air),
      m_phy(CreateObject<HalfDuplexIdealPhy>()),
      m_device(CreateObject<AlohaNoackNetDevice>())
{
    const auto& plan = air.GetPlan();
    for (uint32_t channel = 0; channel < plan.CountChannels(); channel++)
    {
        m_powers.push_back(plan.MakePower(channel, power));
    }
    m_phy->SetDevice(m_device);
    m_phy->SetMobility(place);
    m_phy->SetChannel(air.GetAir()); // without AddRx(): only for sending
    m_phy->SetGenericPhyTxEndCallback(
        MakeCallback(&AlohaNoackNetDevice::NotifyTransmissionEnd, m_device));
    m_device->SetAddress(Mac48Address::Allocate());
    m_device->SetPhy(m_phy);
    m_device->SetChannel(air.GetAir());
    m_device->SetQueue(CreateObject<DropTailQueue<Packet>>());
    m_device->SetGenericPhyTxStartCallback(MakeCallback(&HalfDuplexIdealPhy::StartTx, m_phy));
    node->AddDevice(m_device);
}

void
FrameSender::Send(uint32_t channel, const Address& receiver)
{
    m_phy->SetTxPowerSpectralDensity(m_powers.at(channel));
    m_phy->SetRate(DataRate(m_air.GetPlan().GetRate(channel)));
    const auto payload = SlottedAir::GetPayload(m_air.GetFrameSize(channel));
    m_device->Send(Create<Packet>(payload), receiver, PROTOCOL);
}

Address
FrameSender::GetAddress() const
{
    return m_device->GetAddress();
}

} // namespace ns3
