// SPDX-License-Identifier: GPL-2.0-only

#include "slot-radio.h"

#include "ns3/aloha-noack-net-device.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/half-duplex-ideal-phy.h"
#include "ns3/mac48-address.h"
#include "ns3/non-communicating-net-device.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/waveform-generator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SlotRadio);

namespace
{

constexpr uint16_t PROTOCOL = 0x88b5; // of experiments (IEEE 802)
constexpr float FULL_SCALE = 60;      // level observed as 1, in dB
constexpr float LEAST_SIGNAL = 6;     // least level of a signal for built-in players, in dB

/**
 * Create a device for frames.
 *
 * @param air Air of the device.
 * @param node Node of the device.
 * @param place Position of the antenna.
 * @return the device and its antenna
 */
std::pair<Ptr<AlohaNoackNetDevice>, Ptr<HalfDuplexIdealPhy>>
MakeDevice(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place)
{
    const auto phy = CreateObject<HalfDuplexIdealPhy>();
    const auto device = CreateObject<AlohaNoackNetDevice>();
    phy->SetDevice(device);
    phy->SetMobility(place);
    phy->SetChannel(air.GetMedium());
    device->SetAddress(Mac48Address::Allocate());
    device->SetPhy(phy);
    device->SetChannel(air.GetMedium());
    device->SetQueue(CreateObject<DropTailQueue<Packet>>());
    node->AddDevice(device);
    return {device, phy};
}

} // namespace

FrameReceiver::FrameReceiver(const SlottedAir& air, Ptr<Node> node)
    : m_air(air),
      m_node(node)
{
    node->RegisterProtocolHandler(MakeCallback(&FrameReceiver::Receive, this), PROTOCOL, nullptr);
}

Address
FrameReceiver::Listen(uint32_t channel, Ptr<MobilityModel> place)
{
    const auto [device, phy] = MakeDevice(m_air, m_node, place);
    // The device never sends; this call tunes such a model.
    phy->SetTxPowerSpectralDensity(m_air.MakePower(channel, 0));
    phy->SetNoisePowerSpectralDensity(m_air.MakeNoise(channel));
    phy->SetGenericPhyRxEndOkCallback(
        MakeCallback(&AlohaNoackNetDevice::NotifyReceptionEndOk, device));
    m_air.GetMedium()->AddRx(phy);
    return device->GetAddress();
}

void
FrameReceiver::Receive(Ptr<NetDevice> device,
                       Ptr<const Packet> packet,
                       uint16_t protocol,
                       const Address& from,
                       const Address& to,
                       NetDevice::PacketType type)
{
    const auto sender = m_senders.find(from);
    if (sender != m_senders.end())
    {
        sender->second->NotifyDelivered(packet->GetSize());
    }
}

TypeId
SlotRadio::GetTypeId()
{
    static TypeId tid = MakeTypeId<SlotRadio, Object>("ns3::SlotRadio")
                            .AddTraceSource("Measured",
                                            "The levels of a slot, at its end.",
                                            MakeTraceSourceAccessor(&SlotRadio::m_measured),
                                            "ns3::SlotRadio::MeasuredTracedCallback");
    return tid;
}

void
SlotRadio::DoDispose()
{
    m_settings.clear();
    m_analyzers.clear();
    m_sensor = nullptr;
    Object::DoDispose();
}

void
SlotRadio::Listen(Ptr<MobilityModel> place)
{
    if (!m_sensor)
    {
        m_sensor = CreateObject<NonCommunicatingNetDevice>();
        GetObject<Node>()->AddDevice(m_sensor);
    }
    const auto analyzer = CreateObject<SpectrumAnalyzer>();
    DoubleValue noise;
    analyzer->GetAttribute("NoisePowerSpectralDensity", noise);
    analyzer->SetAttribute("Resolution", TimeValue(m_air.GetSlot()));
    analyzer->SetRxSpectrumModel(m_air.GetWideModel());
    analyzer->SetDevice(m_sensor);
    analyzer->SetMobility(place);
    analyzer->SetChannel(m_air.GetMedium());
    const uint32_t number = m_analyzers.size();
    analyzer->TraceConnectWithoutContext("AveragePowerSpectralDensityReport",
                                         MakeCallback(&SlotRadio::Note, this).Bind(number));
    m_air.GetMedium()->AddRx(analyzer);
    m_analyzers.push_back({analyzer, static_cast<uint32_t>(m_levels.size()), noise.Get()});
    m_levels.resize(m_levels.size() + m_air.CountChannels());
}

void
SlotRadio::SendFrames(Ptr<MobilityModel> place,
                      FrameReceiver& receiver,
                      const std::vector<Address>& addresses)
{
    // The antenna is not added to the air's receivers: it is only for sending.
    const auto [device, phy] = MakeDevice(m_air, GetObject<Node>(), place);
    phy->SetGenericPhyTxEndCallback(
        MakeCallback(&AlohaNoackNetDevice::NotifyTransmissionEnd, device));
    device->SetGenericPhyTxStartCallback(MakeCallback(&HalfDuplexIdealPhy::StartTx, phy));
    for (uint32_t channel = 0; channel < addresses.size(); channel++)
    {
        m_settings.emplace_back([device = device,
                                 phy = phy,
                                 power = m_air.MakePower(channel, SlottedAir::POWER),
                                 rate = DataRate(m_air.GetRate(channel)),
                                 payload = m_air.GetPayload(channel),
                                 address = addresses[channel]] {
            phy->SetTxPowerSpectralDensity(power);
            phy->SetRate(rate);
            device->Send(Create<Packet>(payload), address, PROTOCOL);
        });
    }
    receiver.Count(device->GetAddress(), this);
}

void
SlotRadio::SendNoise(Ptr<MobilityModel> place, double power)
{
    const auto generator = CreateObject<WaveformGenerator>();
    const auto device = CreateObject<NonCommunicatingNetDevice>();
    device->SetChannel(m_air.GetMedium());
    device->SetPhy(generator);
    GetObject<Node>()->AddDevice(device);
    generator->SetDevice(device);
    generator->SetMobility(place);
    generator->SetChannel(m_air.GetMedium());
    generator->SetPeriod(m_air.GetSlot());
    generator->SetDutyCycle(m_air.GetFrameTime().GetSeconds() / m_air.GetSlot().GetSeconds());
    for (uint32_t channel = 0; channel < m_air.CountChannels(); channel++)
    {
        m_settings.emplace_back([generator, spread = m_air.MakePower(channel, power)] {
            generator->SetTxPowerSpectralDensity(spread);
            generator->Start();
            Simulator::ScheduleNow(&WaveformGenerator::Stop, generator); // after one waveform
        });
    }
}

void
SlotRadio::Start()
{
    for (const auto& analyzer : m_analyzers)
    {
        analyzer.model->Start();
    }
}

void
SlotRadio::Note(uint32_t analyzer, Ptr<const SpectrumValue> power)
{
    const auto& [model, first, noise] = m_analyzers[analyzer];
    auto level = m_levels.begin() + first;
    for (auto value = power->ConstValuesBegin(); value != power->ConstValuesEnd(); ++value)
    {
        *level++ = std::max(10 * std::log10(*value / noise), 0.);
    }
    if (analyzer + 1 == m_analyzers.size())
    {
        m_measured(m_levels);
    }
}

void
SlotRadio::Transmit()
{
    m_delivered = 0;
    m_setting = !m_budget || m_spent < *m_budget ? m_choice : SILENT;
    if (m_setting != SILENT)
    {
        m_spent++;
        m_settings.at(m_setting)();
    }
}

int32_t
SlotRadio::FindSignal() const
{
    const auto most = std::max_element(m_levels.begin(), m_levels.end());
    return most != m_levels.end() && *most >= LEAST_SIGNAL
               ? static_cast<int32_t>(most - m_levels.begin())
               : SILENT;
}

std::vector<float>
SlotRadio::Observe() const
{
    std::vector<float> observed;
    for (const auto level : m_levels)
    {
        observed.push_back(std::min(level / FULL_SCALE, 1.F));
    }
    if (m_budget)
    {
        observed.push_back(GetEnergyLeft());
    }
    return observed;
}

} // namespace ns3
