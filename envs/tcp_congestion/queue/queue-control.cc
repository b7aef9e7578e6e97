// SPDX-License-Identifier: GPL-2.0-only

#include "queue-control.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ns3
{

namespace
{

constexpr std::array PROBABILITIES{0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
const std::vector<float> HIGH{1e6F, 1e5F, 1e5F, 1e6F, 1e6F, 1.0F}; // upper bounds; lower: 0

} // namespace

Ptr<OpenGymSpace>
QueueControl::MakeObservationSpace()
{
    const auto space = MakeBoxSpace(std::vector<float>(HIGH.size()), HIGH);
    space->SetElementNames({"queue_packets",
                            "queue_delay_ms",
                            "throughput_mbps",
                            "dropped_packets",
                            "marked_packets",
                            "probability"});
    return space;
}

Ptr<OpenGymSpace>
QueueControl::MakeActionSpace(bool continuous)
{
    if (continuous)
    {
        return MakeBoxSpace<float>(1, 0, 1);
    }
    return MakeDiscreteSpace(PROBABILITIES.size());
}

Ptr<OpenGymDictContainer>
QueueControl::MakeObservation(const QueueSample& sample)
{
    const std::vector<double> values{sample.packets,
                                     1e3 * sample.delay.GetSeconds(),
                                     sample.throughput / 1e6,
                                     sample.dropped,
                                     sample.marked,
                                     sample.probability};
    std::vector<float> numbers;
    for (std::size_t i = 0; i < values.size(); i++)
    {
        numbers.push_back(std::min(static_cast<float>(values[i]), HIGH[i]));
    }
    return MakeDictContainer("state", MakeBoxContainer(numbers));
}

double
QueueControl::GetProbability(Ptr<OpenGymDataContainer> action)
{
    const auto step = DynamicCast<OpenGymDiscreteContainer>(action);
    return step ? PROBABILITIES[step->GetValue()]
                : action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
}

} // namespace ns3
