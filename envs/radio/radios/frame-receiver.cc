// SPDX-License-Identifier: GPL-2.0-only

#include "frame-receiver.h"

#include "frame-sender.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <utility>

namespace ns3
{

FrameReceiver::FrameReceiver(const SlottedAir& air, Ptr<Node> node)
    : m_air(air),
      m_node(node)
{
    node->RegisterProtocolHandler(MakeCallback(&FrameReceiver::Receive, this),
                                  FrameSender::PROTOCOL,
                                  nullptr);
}

Address
FrameReceiver::Listen(uint32_t channel, Ptr<MobilityModel> place)
{
    const auto& plan = m_air.GetPlan();
    const auto phy = CreateObject<HalfDuplexIdealPhy>();
    const auto device = CreateObject<AlohaNoackNetDevice>();
    // The device never sends; this call tunes such a model.
    phy->SetTxPowerSpectralDensity(plan.MakePower(channel, 0));
    phy->SetNoisePowerSpectralDensity(plan.MakeNoise(channel));
    phy->SetDevice(device);
    phy->SetMobility(place);
    phy->SetChannel(m_air.GetAir());
    phy->SetGenericPhyRxEndOkCallback(
        MakeCallback(&AlohaNoackNetDevice::NotifyReceptionEndOk, device));
    device->SetAddress(Mac48Address::Allocate());
    device->SetPhy(phy);
    device->SetChannel(m_air.GetAir());
    device->SetQueue(CreateObject<DropTailQueue<Packet>>());
    m_node->AddDevice(device);
    m_air.GetAir()->AddRx(phy);
    return device->GetAddress();
}

void
FrameReceiver::Report(const Address& sender, Listener listener)
{
    m_listeners[sender] = std::move(listener);
}

void
FrameReceiver::Receive(Ptr<NetDevice> device,
                       Ptr<const Packet> packet,
                       uint16_t protocol,
                       const Address& from,
                       const Address& to,
                       NetDevice::PacketType type)
{
    const auto found = m_listeners.find(from);
    if (found != m_listeners.end())
    {
        found->second(packet->GetSize());
    }
}

} // namespace ns3
