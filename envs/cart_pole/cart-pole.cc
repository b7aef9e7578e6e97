// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole.h"

#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CartPole");
NS_OBJECT_ENSURE_REGISTERED(CartPole);

namespace
{
constexpr double GRAVITY = 9.8;   // m/s^2
constexpr double POLE_MASS = 0.1; // kg
constexpr double TOTAL_MASS = 1.0 + POLE_MASS;
constexpr double HALF_LENGTH = 0.5; // m
constexpr double POLE_MASS_LENGTH = POLE_MASS * HALF_LENGTH;
} // namespace

TypeId
CartPole::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<CartPole, Object>("ns3::CartPole")
            .AddTraceSource("Survived",
                            "The cart has survived a step. The step of a fall counts, unless the "
                            "cart is put upright.",
                            MakeTraceSourceAccessor(&CartPole::m_survivedTrace),
                            "ns3::CartPole::SurvivedTracedCallback")
            .AddTraceSource(
                "Sample",
                "The state at each sampling instant; fires after the trace source Survived.",
                MakeTraceSourceAccessor(&CartPole::m_sampleTrace),
                "ns3::CartPole::SampleTracedCallback");
    return tid;
}

void
CartPole::SetState(const CartPoleState& state)
{
    NS_LOG_FUNCTION(this);
    m_state = state;
}

void
CartPole::SetForce(double force)
{
    NS_LOG_FUNCTION(this << force);
    Advance();
    m_force = force;
}

void
CartPole::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    m_lastUpdate = Simulator::Now();
    // Nodes initialize their applications in events of this instant, and applications start in
    // further events; the first sample comes after all of them.
    m_sampleEvent = Simulator::ScheduleNow(
        [this]() { m_sampleEvent = Simulator::ScheduleNow(&CartPole::Report, this); });
    Object::DoInitialize();
}

void
CartPole::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_sampleEvent.Cancel();
    Object::DoDispose();
}

void
CartPole::Sample()
{
    NS_LOG_FUNCTION(this);
    if (!IsFallen())
    {
        Advance();
        const bool falls = m_rules.terminateWhenFallen &&
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

void
CartPole::Restart()
{
    m_force = 0;
    for (double* value : {&m_state.x, &m_state.xDot, &m_state.theta, &m_state.thetaDot})
    {
        *value = m_restart->GetValue();
    }
}

void
CartPole::Advance()
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
    const double thetaAcc = (GRAVITY * sinTheta - cosTheta * temp) /
                            (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosThetaSquared / TOTAL_MASS));
    const double xAcc = temp - POLE_MASS_LENGTH * thetaAcc * cosTheta / TOTAL_MASS;
    m_state.x += dt * m_state.xDot;
    m_state.xDot += dt * xAcc;
    m_state.theta += dt * m_state.thetaDot;
    m_state.thetaDot += dt * thetaAcc;
}

} // namespace ns3
