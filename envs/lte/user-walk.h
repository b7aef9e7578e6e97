// SPDX-License-Identifier: GPL-2.0-only

#ifndef USER_WALK_H
#define USER_WALK_H

#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/vector.h"

#include <cstdint>

namespace ns3
{

class ConstantVelocityMobilityModel;

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
class UserWalk : public Object
{
  public:
    UserWalk();

    /**
     * Place a user at a random point of its region, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param region Region of the user.
     * @param stream Random stream to use.
     */
    void Place(Ptr<Node> node, const UserRegion& region, int64_t stream);

    /**
     * Place a user at a point, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param position The point.
     */
    void Place(Ptr<Node> node, const Vector& position);

    /**
     * Walk from point to point from now on.
     *
     * @param speed Speed in m/s.
     */
    void Walk(double speed);

    /**
     * Move in one direction for ever.
     *
     * @param velocity Velocity in m/s.
     */
    void Go(const Vector& velocity);

  protected:
    void DoDispose() override;

  private:
    /**
     * @return a random point of the region, evenly spread
     */
    Vector DrawPoint();

    void Turn(); //!< Turn to the next point

    Ptr<ConstantVelocityMobilityModel> m_mobility; //!< Mobility of the user
    Ptr<UniformRandomVariable> m_random;           //!< Draws points
    UserRegion m_region;                           //!< Region of the user
    double m_speed{0};                             //!< Speed in m/s
};

} // namespace ns3

#endif // USER_WALK_H
