// SPDX-License-Identifier: GPL-2.0-only

#include "energy-sensor.h"

#include "ns3/double.h"
#include "ns3/non-communicating-net-device.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EnergySensor);

TypeId
EnergySensor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EnergySensor")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<EnergySensor>()
                            .AddTraceSource("Measured",
                                            "The levels of a slot, at its end.",
                                            MakeTraceSourceAccessor(&EnergySensor::m_measured),
                                            "ns3::EnergySensor::MeasuredTracedCallback");
    return tid;
}

void
EnergySensor::Install(Ptr<Node> node)
{
    m_device = CreateObject<NonCommunicatingNetDevice>();
    node->AddDevice(m_device);
}

void
EnergySensor::Listen(const SlottedAir& air, Ptr<SpectrumModel> model, Ptr<MobilityModel> place)
{
    const auto analyzer = CreateObject<SpectrumAnalyzer>();
    DoubleValue noise;
    analyzer->GetAttribute("NoisePowerSpectralDensity", noise);
    analyzer->SetAttribute("Resolution", TimeValue(air.GetSlot()));
    analyzer->SetRxSpectrumModel(model);
    analyzer->SetDevice(m_device);
    analyzer->SetMobility(place);
    analyzer->SetChannel(air.GetAir());
    const uint32_t number = m_analyzers.size();
    analyzer->TraceConnectWithoutContext("AveragePowerSpectralDensityReport",
                                         MakeCallback(&EnergySensor::Note, this).Bind(number));
    air.GetAir()->AddRx(analyzer);
    m_analyzers.push_back({analyzer, static_cast<uint32_t>(m_levels.size()), noise.Get()});
    m_levels.resize(m_levels.size() + model->GetNumBands());
}

void
EnergySensor::Start()
{
    for (const auto& analyzer : m_analyzers)
    {
        analyzer.model->Start();
    }
}

void
EnergySensor::DoDispose()
{
    m_analyzers.clear();
    m_device = nullptr;
    Object::DoDispose();
}

void
EnergySensor::Note(uint32_t analyzer, Ptr<const SpectrumValue> power)
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

const std::vector<float>&
EnergySensor::GetLevels() const
{
    return m_levels;
}

std::vector<float>
EnergySensor::GetObservation() const
{
    std::vector<float> observed;
    for (const auto level : m_levels)
    {
        observed.push_back(std::min(level / static_cast<float>(FULL_SCALE), 1.F));
    }
    return observed;
}

} // namespace ns3
