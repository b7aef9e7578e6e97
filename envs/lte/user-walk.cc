// SPDX-License-Identifier: GPL-2.0-only

#include "user-walk.h"

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

constexpr double SHORTEST_LEG = 0.1; // in m: legs without duration would never end

} // namespace

UserWalk::UserWalk()
    : m_mobility(CreateObject<ConstantVelocityMobilityModel>()),
      m_random(CreateObject<UniformRandomVariable>())
{
}

void
UserWalk::DoDispose()
{
    m_mobility = nullptr;
    m_random = nullptr;
    Object::DoDispose();
}

void
UserWalk::Place(Ptr<Node> node, const UserRegion& region, int64_t stream)
{
    m_region = region;
    m_random->SetStream(stream);
    Place(node, DrawPoint());
}

void
UserWalk::Place(Ptr<Node> node, const Vector& position)
{
    m_mobility->SetPosition(position);
    node->AggregateObject(m_mobility);
}

void
UserWalk::Walk(double speed)
{
    m_speed = speed;
    if (speed > 0)
    {
        Turn();
    }
}

void
UserWalk::Go(const Vector& velocity)
{
    m_mobility->SetVelocity(velocity);
}

Vector
UserWalk::DrawPoint()
{
    const double least = m_region.inner * m_region.inner;
    const double most = m_region.radius * m_region.radius;
    const double distance = std::sqrt(m_random->GetValue(least, most));
    const double angle = m_random->GetValue(0, 2 * std::numbers::pi);
    return m_region.centre + Vector(distance * std::cos(angle), distance * std::sin(angle), 0);
}

void
UserWalk::Turn()
{
    if (!m_mobility)
    {
        return;
    }
    const auto way = DrawPoint() - m_mobility->GetPosition();
    const double length = std::max(way.GetLength(), SHORTEST_LEG);
    const double factor = m_speed / length;
    m_mobility->SetVelocity(Vector(way.x * factor, way.y * factor, 0));
    Simulator::Schedule(Seconds(length / m_speed), &UserWalk::Turn, Ptr<UserWalk>(this));
}

} // namespace ns3
