// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole-deployment.h"

#include "cart-action-app.h"
#include "cart-agent-app.h"
#include "cart-observation-app.h"
#include "cart-pole.h"
#include "cart-reward-app.h"
#include "initial-state.h"

#include "ns3/boolean.h"
#include "ns3/communication-helper.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-application-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

CartPoleDeployment::CartPoleDeployment(const CartPoleParameters& parameters)
    : m_parameters(parameters)
{
    m_cartNodes.Create(parameters.carts);
    if (parameters.placement == "local")
    {
        m_agentNodes = m_cartNodes;
    }
    else
    {
        m_agentNodes.Create(parameters.placement == "central" ? 1 : parameters.carts);
    }
    BuildCarts();
    if (parameters.transport != "simple")
    {
        BuildLinks();
    }
    InstallApplications();
    Connect();
}

uint32_t
CartPoleDeployment::AgentOf(uint32_t cart) const
{
    return m_parameters.placement == "central" ? 0 : cart;
}

void
CartPoleDeployment::BuildCarts()
{
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetAttribute("Min", DoubleValue(-0.05)); // as Gymnasium's CartPole-v1
    uniform->SetAttribute("Max", DoubleValue(0.05));
    const auto initialStates = InitialStates::Parse(m_parameters.initialState);
    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        auto cart = CreateObject<CartPole>();
        cart->SetAttribute("TerminateWhenFallen", BooleanValue(m_parameters.terminateWhenFallen));
        CartPoleState state;
        for (double* value : {&state.x, &state.xDot, &state.theta, &state.thetaDot})
        {
            *value = uniform->GetValue();
        }
        cart->SetState(initialStates->Get(i).value_or(state));
        m_cartNodes.Get(i)->AggregateObject(cart);
    }
}

void
CartPoleDeployment::BuildLinks()
{
    InternetStackHelper internet;
    internet.Install(m_cartNodes);
    if (m_parameters.placement == "local")
    {
        return;
    }
    internet.Install(m_agentNodes);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(m_parameters.dataRate));
    link.SetChannelAttribute("Delay", TimeValue(m_parameters.delay));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        auto devices = link.Install(m_cartNodes.Get(i), m_agentNodes.Get(AgentOf(i)));
        for (uint32_t end = 0; end < devices.GetN(); end++)
        {
            auto loss = CreateObject<RateErrorModel>();
            loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            loss->SetRate(m_parameters.loss);
            devices.Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        m_agentAddresses.push_back(addresses.Assign(devices).GetAddress(1));
        addresses.NewNetwork();
    }
}

void
CartPoleDeployment::InstallApplications()
{
    RlApplicationHelper helper(CartObservationApp::GetTypeId());
    m_observers = helper.Install(m_cartNodes);
    helper.SetTypeId(CartRewardApp::GetTypeId());
    m_rewarders = helper.Install(m_cartNodes);
    helper.SetTypeId(CartActionApp::GetTypeId());
    m_actors = helper.Install(m_cartNodes);

    const bool central = m_parameters.placement == "central";
    helper.SetTypeId(CartAgentApp::GetTypeId());
    helper.SetAttribute("ActionDelay", TimeValue(m_parameters.actionDelay));
    helper.SetAttribute("Limited", BooleanValue(m_parameters.terminateWhenFallen));
    helper.SetAttribute("Central", BooleanValue(central));
    helper.SetAttribute("Carts", UintegerValue(central ? m_parameters.carts : 1));
    for (uint32_t i = 0; i < m_agentNodes.GetN(); i++)
    {
        helper.SetAttribute("FirstCart", UintegerValue(i));
        m_agents.Add(helper.Install(m_agentNodes.Get(i)));
    }
}

void
CartPoleDeployment::Connect()
{
    CommunicationHelper communication;
    communication.SetObservationApps(m_observers);
    communication.SetRewardApps(m_rewarders);
    communication.SetAgentApps(m_agents);
    communication.SetActionApps(m_actors);
    communication.SetIds();

    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        CommunicationPair observation{m_observers.GetId(i), m_agents.GetId(AgentOf(i))};
        CommunicationPair action{m_actors.GetId(i), m_agents.GetId(AgentOf(i))};
        if (m_parameters.transport == "simple")
        {
            const CommunicationAttributes attributes{m_parameters.delay, m_parameters.loss};
            observation.attributes = action.attributes = attributes;
        }
        else
        {
            // A central agent has an address on each link; the cart reaches that of its own.
            SocketCommunicationAttributes attributes;
            if (m_parameters.transport == "tcp")
            {
                attributes.protocol = TcpSocketFactory::GetTypeId();
            }
            if (!m_agentAddresses.empty())
            {
                attributes.serverAddress = m_agentAddresses[i];
            }
            observation.attributes = action.attributes = attributes;
        }
        // Rewards are for training only; they are known without delay.
        const CommunicationPair reward{m_rewarders.GetId(i), m_agents.GetId(AgentOf(i))};
        communication.AddCommunication({observation, reward, action});
    }
    communication.Configure();
}

} // namespace ns3
