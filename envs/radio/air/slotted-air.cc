// SPDX-License-Identifier: GPL-2.0-only

#include "slotted-air.h"

#include "channel-loss.h"

#include "ns3/aloha-noack-mac-header.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/llc-snap-header.h"
#include "ns3/multi-model-spectrum-channel.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

SlottedAir::SlottedAir(std::shared_ptr<const ChannelPlan> plan, Time slot)
    : m_plan(std::move(plan)),
      m_slot(slot),
      m_air(CreateObject<MultiModelSpectrumChannel>())
{
    m_air->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
}

void
SlottedAir::UseFreeSpace()
{
    const auto loss = CreateObject<ChannelLoss>();
    loss->SetPlan(m_plan);
    m_air->AddSpectrumPropagationLossModel(loss);
}

const ChannelPlan&
SlottedAir::GetPlan() const
{
    return *m_plan;
}

Ptr<SpectrumChannel>
SlottedAir::GetAir() const
{
    return m_air;
}

Time
SlottedAir::GetSlot() const
{
    return m_slot;
}

Time
SlottedAir::GetFrameTime() const
{
    return m_slot * 8 / 10;
}

uint32_t
SlottedAir::GetFrameSize(uint32_t channel) const
{
    constexpr double rounding = 1e-6; // rounding error of whole numbers
    return m_plan->GetRate(channel) * GetFrameTime().GetNanoSeconds() / 8e9 + rounding;
}

void
SlottedAir::Start(std::function<void()> transmit)
{
    m_transmit = std::move(transmit);
    Simulator::Schedule(m_slot / 10, &SlottedAir::Transmit, this);
}

void
SlottedAir::Transmit()
{
    Simulator::Schedule(m_slot, &SlottedAir::Transmit, this);
    m_transmit();
}

Ptr<MobilityModel>
SlottedAir::Place(Ptr<Node> node, const Vector& place)
{
    const auto mobility = CreateObject<ConstantPositionMobilityModel>();
    mobility->SetPosition(place);
    node->AggregateObject(mobility);
    return mobility;
}

uint32_t
SlottedAir::GetPayload(uint32_t bytes)
{
    const auto headers =
        AlohaNoackMacHeader().GetSerializedSize() + LlcSnapHeader().GetSerializedSize();
    return bytes > headers ? bytes - headers : 0;
}

} // namespace ns3
