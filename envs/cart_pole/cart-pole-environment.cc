// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole-environment.h"

#include "cart-action-app.h"
#include "cart-agent-app.h"
#include "cart-observation-app.h"
#include "cart-reward-app.h"
#include "initial-state.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

CartPoleEnvironment::CartPoleEnvironment()
    : CartPoleEnvironment(MakeOptions(), CartAgentApp::GetTypeId())
{
}

CartPoleEnvironment::CartPoleEnvironment(DeploymentOptions options, TypeId agentType)
    : Environment(std::move(options)),
      m_agentType(agentType)
{
}

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
                        "Whether a cart that leaves its limits is put upright, and goes on.",
                        m_restartWhenFallen);
}

void
CartPoleEnvironment::DeclareStart(RlSimulation& simulation)
{
    simulation.AddValue("initial_state",
                        "x,x_dot,theta,theta_dot of every cart, or cart:x,...;cart:x,...; "
                        "empty: random.",
                        m_initialState);
    simulation.AddValue("terminate_when_fallen",
                        "Whether a cart that leaves its limits is out; if not, it goes on.",
                        m_terminateWhenFallen);
}

std::string
CartPoleEnvironment::FindContradiction() const
{
    if (m_restartWhenFallen && !m_terminateWhenFallen)
    {
        return "restart_when_fallen=true puts carts upright that terminate_when_fallen=false lets "
               "go on";
    }
    if (!InitialStates::Parse(m_initialState))
    {
        return "initial_state=" + m_initialState +
               " is not x,x_dot,theta,theta_dot or cart:x,...;cart:x,...";
    }
    return "";
}

uint32_t
CartPoleEnvironment::CountDevices() const
{
    return m_carts;
}

NodeContainer
CartPoleEnvironment::BuildDevices()
{
    m_nodes.Create(m_carts);
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetAttribute("Min", DoubleValue(-0.05)); // as Gymnasium's CartPole-v1
    uniform->SetAttribute("Max", DoubleValue(0.05));
    const auto initialStates = InitialStates::Parse(m_initialState);
    for (uint32_t i = 0; i < m_carts; i++)
    {
        auto cart = CreateObject<CartPole>();
        cart->SetAttribute("TerminateWhenFallen", BooleanValue(m_terminateWhenFallen));
        if (m_restartWhenFallen)
        {
            cart->SetAttribute("Restart", PointerValue(uniform));
        }
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
    return {.observation = CreateObject<CartObservationApp>(),
            .reward = CreateObject<CartRewardApp>(),
            .action = CreateObject<CartActionApp>()};
}

Ptr<AgentApplication>
CartPoleEnvironment::MakeAgent(uint32_t agent)
{
    ObjectFactory factory;
    factory.SetTypeId(m_agentType);
    factory.Set("FirstCart", UintegerValue(agent));
    factory.Set("Carts", UintegerValue(IsCentral() ? m_carts : 1));
    factory.Set("Central", BooleanValue(IsCentral()));
    factory.Set("Limited", BooleanValue(m_terminateWhenFallen));
    factory.Set("Restarted", BooleanValue(m_restartWhenFallen));
    return factory.Create<AgentApplication>();
}

} // namespace ns3
