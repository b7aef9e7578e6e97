// SPDX-License-Identifier: GPL-2.0-only

#ifndef USER_WALK_H
#define USER_WALK_H

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/node.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/vector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ns3
{

constexpr double SHORTEST_LEG = 0.1; // in m: legs without duration would never end

/**
 * @brief The region of users: a disc around a point.
 */
struct UserRegion
{
    Vector centre;    //!< Centre of the region
    double radius{0}; //!< Radius in m
    double inner{0};  //!< Least distance to the centre at the start, in m
};

/**
 * @brief Moves a user: it goes straight to a random point of its region, then to the next one
 * (random waypoints, without pauses).
 */
class UserWalk
{
  public:
    /**
     * Place a user at a random point of its region, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param region Region of the user.
     * @param stream Random stream to use.
     */
    void Place(Ptr<Node> node, const UserRegion& region, int64_t stream)
    {
        m_region = region;
        m_random->SetStream(stream);
        Place(node, DrawPoint());
    }

    /**
     * Place a user at a point, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param position The point.
     */
    void Place(Ptr<Node> node, const Vector& position)
    {
        m_mobility->SetPosition(position);
        node->AggregateObject(m_mobility);
    }

    /**
     * Walk from point to point from now on.
     *
     * @param speed Speed in m/s.
     */
    void Walk(double speed)
    {
        m_speed = speed;
        if (speed > 0)
        {
            Turn();
        }
    }

    /**
     * Move in one direction for ever.
     *
     * @param velocity Velocity in m/s.
     */
    void Go(const Vector& velocity)
    {
        m_mobility->SetVelocity(velocity);
    }

  private:
    /**
     * @return a random point of the region, evenly spread
     */
    Vector DrawPoint()
    {
        const double least = m_region.inner * m_region.inner;
        const double most = m_region.radius * m_region.radius;
        const double distance = std::sqrt(m_random->GetValue(least, most));
        const double angle = m_random->GetValue(0, 2 * std::numbers::pi);
        return m_region.centre + Vector(distance * std::cos(angle), distance * std::sin(angle), 0);
    }

    /// Turn to the next point
    void Turn()
    {
        const auto way = DrawPoint() - m_mobility->GetPosition();
        const double length = std::max(way.GetLength(), SHORTEST_LEG);
        const double factor = m_speed / length;
        m_mobility->SetVelocity(Vector(way.x * factor, way.y * factor, 0));
        Simulator::Schedule(Seconds(length / m_speed), &UserWalk::Turn, this);
    }

    Ptr<ConstantVelocityMobilityModel> m_mobility{
        CreateObject<ConstantVelocityMobilityModel>()}; //!< Mobility of the user
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< Draws points
    UserRegion m_region; //!< Region of the user
    double m_speed{0};   //!< Speed in m/s
};

} // namespace ns3

#endif // USER_WALK_H
