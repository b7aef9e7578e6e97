// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole-environment.h"

#include "cart-pole.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/double.h"
#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace ns3
{

namespace
{

std::optional<CartPoleState>
ParseState(const std::string& text)
{
    std::istringstream stream(text);
    CartPoleState state;
    char c1 = 0;
    char c2 = 0;
    char c3 = 0;
    stream >> state.x >> c1 >> state.xDot >> c2 >> state.theta >> c3 >> state.thetaDot;
    const bool complete = !stream.fail() && stream.peek() == EOF;
    if (!complete || c1 != ',' || c2 != ',' || c3 != ',')
    {
        return std::nullopt;
    }
    return state;
}

/**
 * @brief The initial states of carts, in the notation of the command line.
 *
 * `x,xDot,theta,thetaDot` sets all carts, `cart:x,xDot,theta,thetaDot;...` sets some.
 */
class InitialStates
{
  public:
    /**
     * @param text The initial states.
     * @return the states, or nothing if the text is malformed
     */
    static std::optional<InitialStates> Parse(const std::string& text)
    {
        InitialStates states;
        if (text.empty())
        {
            return states;
        }
        if (text.find(':') == std::string::npos)
        {
            states.m_all = ParseState(text);
            return states.m_all ? std::optional(states) : std::nullopt;
        }
        std::istringstream parts(text);
        for (std::string part; std::getline(parts, part, ';');)
        {
            std::istringstream stream(part);
            uint32_t cart = 0;
            char colon = 0;
            std::string rest;
            stream >> cart >> colon >> rest;
            const auto state = ParseState(rest);
            if (stream.fail() || colon != ':' || !state)
            {
                return std::nullopt;
            }
            states.m_single[cart] = *state;
        }
        return states;
    }

    /**
     * @param cart Number of a cart.
     * @return the state, or nothing if none is given
     */
    std::optional<CartPoleState> Get(uint32_t cart) const
    {
        const auto it = m_single.find(cart);
        return it == m_single.end() ? m_all : std::optional(it->second);
    }

  private:
    std::optional<CartPoleState> m_all;         //!< State of every cart
    std::map<uint32_t, CartPoleState> m_single; //!< States of single carts
};

} // namespace

DeploymentOptions
CartPoleEnvironment::MakeOptions()
{
    return {.scenario = "cart_pole",
            .device = "cart",
            .interval = MilliSeconds(CartPole::INTERVAL_MS)};
}

void
CartPoleEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddValue("carts", "Number of cart-poles.", m_carts, 1U, 1000U);
    DeclareStart(simulation);
    simulation.AddValue("restart_when_fallen",
                        "Whether a cart that leaves its limits is put upright and continues.",
                        m_rules.restartWhenFallen);
}

void
CartPoleEnvironment::DeclareStart(RlSimulation& simulation)
{
    simulation.AddValue(
        "initial_state",
        "x,x_dot,theta,theta_dot of every cart, or cart:x,...;cart:x,...; empty: random.",
        m_initialState);
    simulation.AddValue("terminate_when_fallen",
                        "Whether a cart that leaves its limits is out; otherwise it continues.",
                        m_rules.terminateWhenFallen);
}

std::string
CartPoleEnvironment::FindContradiction() const
{
    if (m_rules.restartWhenFallen && !m_rules.terminateWhenFallen)
    {
        return "restart_when_fallen=true needs terminate_when_fallen=true: otherwise a fallen cart "
               "continues";
    }
    if (!InitialStates::Parse(m_initialState))
    {
        return "initial_state=" + m_initialState +
               " is not x,x_dot,theta,theta_dot or cart:x,...;cart:x,...";
    }
    return "";
}

NodeContainer
CartPoleEnvironment::BuildDevices()
{
    m_nodes.Create(m_carts);
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetAttribute("Min", DoubleValue(-0.05)); // as in Gymnasium's CartPole-v1
    uniform->SetAttribute("Max", DoubleValue(0.05));
    const auto initialStates = InitialStates::Parse(m_initialState);
    for (uint32_t i = 0; i < m_carts; i++)
    {
        auto cart = CreateObject<CartPole>(m_rules, uniform);
        CartPoleState state;
        for (double* value : {&state.x, &state.xDot, &state.theta, &state.thetaDot})
        {
            *value = uniform->GetValue();
        }
        cart->SetState(initialStates->Get(i).value_or(state));
        m_poles.push_back(cart);
    }
    return m_nodes;
}

void
CartPoleEnvironment::StartDevices()
{
    for (uint32_t i = 0; i < m_carts; i++)
    {
        const auto node = m_nodes.Get(i);
        node->AggregateObject(m_poles[i]);
        if (node->IsInitialized())
        {
            Simulator::ScheduleWithContext(node->GetId(),
                                           Time(0),
                                           &CartPole::Initialize,
                                           m_poles[i]);
        }
    }
}

DeviceApplications
CartPoleEnvironment::MakeApplications(uint32_t device)
{
    const auto pole = m_poles[device];
    return {
        .observation = CreateObject<CallableObservationApplication>(
            pole,
            "Sample",
            [](const CartPoleState& state, uint32_t falls) {
                return MakeDictContainer(
                    "fallen",
                    MakeDiscreteContainer(falls),
                    "state",
                    MakeBoxContainer<float>(4, state.x, state.xDot, state.theta, state.thetaDot));
            }),
        .reward =
            CreateObject<CallableRewardApplication>(pole, "Survived", [](uint32_t) { return 1.0; }),
        .action = CreateObject<CallableActionApplication>([pole](Ptr<OpenGymDataContainer> action) {
            const auto push = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
            pole->SetForce(push == 1 ? CartPole::FORCE : -CartPole::FORCE);
        })};
}

} // namespace ns3
