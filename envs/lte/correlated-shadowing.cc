// SPDX-License-Identifier: GPL-2.0-only

#include "correlated-shadowing.h"

#include "ns3/random-variable-stream.h"

#include <cmath>
#include <numbers>

namespace ns3
{

void
CorrelatedShadowing::DoDispose()
{
    m_cells.clear();
    PropagationLossModel::DoDispose();
}

void
CorrelatedShadowing::AddCell(Ptr<MobilityModel> cell,
                             double deviation,
                             double distance,
                             int64_t stream)
{
    const auto normal = CreateObject<NormalRandomVariable>();
    const auto phase = CreateObject<UniformRandomVariable>();
    normal->SetStream(stream);
    phase->SetStream(stream + 1);
    Field field{.amplitude = deviation * std::sqrt(2. / WAVES), .waves = {}};
    for (auto& wave : field.waves)
    {
        // Normal wave numbers have a Gaussian correlation: exp(-1/2) at this distance.
        wave.x = normal->GetValue() / distance;
        wave.y = normal->GetValue() / distance;
        wave.phase = phase->GetValue(0, 2 * std::numbers::pi);
    }
    m_cells[cell] = {field, {}};
}

double
CorrelatedShadowing::GetLoss(const Field& field, const Vector& position)
{
    double sum = 0;
    for (const auto& wave : field.waves)
    {
        sum += std::cos(wave.x * position.x + wave.y * position.y + wave.phase);
    }
    return field.amplitude * sum;
}

double
CorrelatedShadowing::DoCalcRxPower(double power, Ptr<MobilityModel> a, Ptr<MobilityModel> b) const
{
    const auto found = m_cells.find(a);
    if (found == m_cells.end())
    {
        return power;
    }
    auto& [field, known] = found->second;
    const auto position = b->GetPosition();
    // Most users have not moved: signals arrive each subframe, and many users stand still.
    const auto [last, isNew] = known.try_emplace(PeekPointer(b));
    if (isNew || last->second.position != position)
    {
        last->second = {position, GetLoss(field, position)};
    }
    return power - last->second.loss;
}

int64_t
CorrelatedShadowing::DoAssignStreams(int64_t stream)
{
    return 0; // AddCell() sets the stream
}

} // namespace ns3
