// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_H
#define CART_POLE_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <cmath>

namespace ns3
{

constexpr double GRAVITY = 9.8;   // m/s^2
constexpr double POLE_MASS = 0.1; // kg
constexpr double TOTAL_MASS = 1.0 + POLE_MASS;
constexpr double HALF_LENGTH = 0.5; // m
constexpr double POLE_MASS_LENGTH = POLE_MASS * HALF_LENGTH;

/**
 * @brief State of a cart with a pole.
 */
struct CartPoleState
{
    double x{0};        //!< Position of the cart in m
    double xDot{0};     //!< Velocity of the cart in m/s
    double theta{0};    //!< Angle of the pole from upright in rad
    double thetaDot{0}; //!< Angular velocity of the pole in rad/s
};

/**
 * @brief The rules about carts that leave their limits.
 */
struct CartRules
{
    bool terminateWhenFallen{true}; //!< Fallen carts stand still, with bounded observations
    bool restartWhenFallen{false};  //!< The cart is put upright again
};

/**
 * @brief A cart that balances a pole: Gymnasium's CartPole-v1 as a device on a node.
 *
 * The equations of motion are those of Barto, Sutton and Anderson (1983), without friction, with
 * the constants of Gymnasium's CartPole-v1, integrated by Euler's method. The force holds until it
 * changes. A change between two samples first integrates up to its own instant, so that a late
 * action acts late. An action at the instant of a sample gives Gymnasium's trajectory.
 *
 * A fallen cart stands still and continues to report its last state. Or it is put upright at the
 * instant of its fall, and continues from there.
 */
class CartPole : public Object
{
  public:
    static constexpr double X_LIMIT = 2.4;                                  //!< Limit in m
    static constexpr double THETA_LIMIT = 12 * 2 * 3.141592653589793 / 360; //!< Limit in rad
    static constexpr double FORCE = 10.0;                                   //!< Force in N
    static constexpr int64_t INTERVAL_MS = 20; //!< Time between two samples

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<CartPole, Object>("ns3::CartPole")
                .AddTraceSource("Survived",
                                "The cart has survived a step. The step of a fall counts, unless "
                                "the cart is put upright.",
                                MakeTraceSourceAccessor(&CartPole::m_survivedTrace),
                                "ns3::CartPole::SurvivedTracedCallback")
                .AddTraceSource(
                    "Sample",
                    "The state at each sampling instant; fires after the trace source Survived.",
                    MakeTraceSourceAccessor(&CartPole::m_sampleTrace),
                    "ns3::CartPole::SampleTracedCallback");
        return tid;
    }

    /**
     * @param rules The rules about a cart that leaves its limits.
     * @param restart Draws each coordinate of the state after a fall.
     */
    CartPole(const CartRules& rules, Ptr<RandomVariableStream> restart)
        : m_rules(rules),
          m_restart(restart)
    {
    }

    /**
     * Set the state of the cart; all forces are zero at the start.
     *
     * @param state Initial state.
     */
    void SetState(const CartPoleState& state)
    {
        m_state = state;
    }

    /**
     * Push the cart from now on.
     *
     * @param force In N, to the right.
     */
    void SetForce(double force)
    {
        Advance();
        m_force = force;
    }

    /**
     * @return whether the cart has left its track or the pole its range, and stands still
     */
    bool IsFallen() const
    {
        return m_falls > 0 && !m_rules.restartWhenFallen;
    }

    /**
     * @brief Signature of the Sample trace source.
     *
     * @param state The state at this instant.
     * @param falls Number of falls so far.
     */
    typedef void (*SampleTracedCallback)(const CartPoleState& state, uint32_t falls);

    /**
     * @brief Signature of the Survived trace source.
     *
     * @param steps Samples survived so far.
     */
    typedef void (*SurvivedTracedCallback)(uint32_t steps);

  protected:
    void DoInitialize() override
    {
        m_lastUpdate = Simulator::Now();
        // Nodes initialize their applications in events of this instant, and applications start in
        // further events; the first sample comes after all of them.
        m_sampleEvent = Simulator::ScheduleNow(
            [this]() { m_sampleEvent = Simulator::ScheduleNow(&CartPole::Report, this); });
        Object::DoInitialize();
    }

    void DoDispose() override
    {
        m_sampleEvent.Cancel();
        Object::DoDispose();
    }

  private:
    /**
     * Integrate up to now, check the limits, and report.
     */
    void Sample()
    {
        if (!IsFallen())
        {
            Advance();
            const bool falls =
                m_rules.terminateWhenFallen &&
                (std::abs(m_state.x) > X_LIMIT || std::abs(m_state.theta) > THETA_LIMIT);
            m_falls += falls;
            if (falls && m_rules.restartWhenFallen)
            {
                Restart();
            }
            else
            {
                m_survivedTrace(++m_steps);
            }
        }
        Report();
    }

    /**
     * Report the state, and schedule the next sample.
     */
    void Report()
    {
        m_sampleTrace(m_state, m_falls);
        m_sampleEvent = Simulator::Schedule(MilliSeconds(INTERVAL_MS), &CartPole::Sample, this);
    }

    /// Put the cart upright, without a force.
    void Restart()
    {
        m_force = 0;
        for (double* value : {&m_state.x, &m_state.xDot, &m_state.theta, &m_state.thetaDot})
        {
            *value = m_restart->GetValue();
        }
    }

    /**
     * Integrate up to now.
     */
    void Advance()
    {
        const double dt = (Simulator::Now() - m_lastUpdate).GetSeconds();
        m_lastUpdate = Simulator::Now();
        if (IsFallen() || dt == 0)
        {
            return;
        }
        const double cosTheta = std::cos(m_state.theta);
        const double sinTheta = std::sin(m_state.theta);
        // Gymnasium squares first. Another order of the products rounds differently, and balanced
        // episodes deviate after some hundred steps.
        const double thetaDotSquared = m_state.thetaDot * m_state.thetaDot;
        const double temp = (m_force + POLE_MASS_LENGTH * thetaDotSquared * sinTheta) / TOTAL_MASS;
        const double cosThetaSquared = cosTheta * cosTheta;
        const double thetaAcc =
            (GRAVITY * sinTheta - cosTheta * temp) /
            (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosThetaSquared / TOTAL_MASS));
        const double xAcc = temp - POLE_MASS_LENGTH * thetaAcc * cosTheta / TOTAL_MASS;
        m_state.x += dt * m_state.xDot;
        m_state.xDot += dt * xAcc;
        m_state.theta += dt * m_state.thetaDot;
        m_state.thetaDot += dt * thetaAcc;
    }

    CartRules m_rules;                   //!< Rules about a cart beyond its limits
    CartPoleState m_state;               //!< State at m_lastUpdate
    Time m_lastUpdate;                   //!< Time of m_state
    double m_force{0};                   //!< Force in N
    uint32_t m_falls{0};                 //!< Number of falls
    uint32_t m_steps{0};                 //!< Samples survived
    EventId m_sampleEvent;               //!< The next sample
    Ptr<RandomVariableStream> m_restart; //!< Draws the state after a fall

    TracedCallback<const CartPoleState&, uint32_t> m_sampleTrace; //!< Each sample
    TracedCallback<uint32_t> m_survivedTrace;                     //!< Each step survived
};

NS_OBJECT_ENSURE_REGISTERED(CartPole);

} // namespace ns3

#endif // CART_POLE_H
