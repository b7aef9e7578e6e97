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
 * @brief Where users may be: a disc around a point.
 */
struct UserRegion
{
    Vector centre;    //!< Its middle
    double radius{0}; //!< In m
    double inner{0};  //!< No user is placed nearer to the middle, in m
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
     * Put a user at a random point of its region, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param region Where it may be.
     * @param stream Random stream to use.
     */
    void Place(Ptr<Node> node, const UserRegion& region, int64_t stream);

    /**
     * Put a user somewhere, where it stays until it is moved.
     *
     * @param node Node of the user.
     * @param position Where.
     */
    void Place(Ptr<Node> node, const Vector& position);

    /**
     * Go from point to point from now on.
     *
     * @param speed In m/s.
     */
    void Walk(double speed);

    /**
     * Go on in one direction for ever.
     *
     * @param velocity In m/s.
     */
    void Go(const Vector& velocity);

  protected:
    void DoDispose() override;

  private:
    /**
     * @return a random point of the region, evenly spread
     */
    Vector DrawPoint();

    void Turn(); //!< Set out for the next point

    Ptr<ConstantVelocityMobilityModel> m_mobility; //!< Of the user
    Ptr<UniformRandomVariable> m_random;           //!< Draws points
    UserRegion m_region;                           //!< Where it may be
    double m_speed{0};                             //!< In m/s
};

} // namespace ns3

#endif // USER_WALK_H
