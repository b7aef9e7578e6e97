// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole-deployment.h"

#include "cart-action-app.h"
#include "cart-observation-app.h"
#include "cart-reward-app.h"
#include "initial-state.h"

#include "ns3/boolean.h"
#include "ns3/communication-helper.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-application-helper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

CartPoleDeployment::CartPoleDeployment(const CartPoleParameters& parameters,
                                       const AccessFactory& access,
                                       const CartAgents& agents)
    : m_parameters(parameters),
      m_agentType(agents.type),
      m_agentNodes(agents.nodes)
{
    m_cartNodes.Create(parameters.carts);
    if (parameters.placement == "local")
    {
        m_agentNodes = m_cartNodes;
    }
    else if (m_agentNodes.GetN() == 0)
    {
        m_agentNodes.Create(parameters.GetAgents());
    }
    MakeCarts();
    BuildNetwork(access);
    PlaceCarts();
    InstallApplications();
    Connect();
}

const RlApplicationContainer&
CartPoleDeployment::GetAgents() const
{
    return m_agents;
}

void
CartPoleDeployment::MakeCarts()
{
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetAttribute("Min", DoubleValue(-0.05)); // as Gymnasium's CartPole-v1
    uniform->SetAttribute("Max", DoubleValue(0.05));
    const auto initialStates = InitialStates::Parse(m_parameters.initialState);
    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        auto cart = CreateObject<CartPole>();
        cart->SetAttribute("TerminateWhenFallen", BooleanValue(m_parameters.terminateWhenFallen));
        if (m_parameters.restartWhenFallen)
        {
            cart->SetAttribute("Restart", PointerValue(uniform));
        }
        CartPoleState state;
        for (double* value : {&state.x, &state.xDot, &state.theta, &state.thetaDot})
        {
            *value = uniform->GetValue();
        }
        cart->SetState(initialStates->Get(i).value_or(state));
        m_carts.push_back(cart);
    }
}

void
CartPoleDeployment::BuildNetwork(const AccessFactory& access)
{
    const bool simple = m_parameters.transport == "simple";
    const bool served = m_parameters.trainingServer.Exists();
    const bool local = m_parameters.placement == "local";
    const auto interval = MilliSeconds(CartPole::INTERVAL_MS);
    if (!simple && !local)
    {
        m_network = access(m_parameters, m_cartNodes, m_agentNodes);
    }
    if (served)
    {
        m_server = std::make_unique<TrainingServer>(m_parameters, access, m_agentNodes);
        m_server->AwaitReady(interval);
    }
    else if (!simple && local)
    {
        InternetStackHelper().Install(m_cartNodes);
    }
    if (m_network)
    {
        m_network->AwaitReady(interval);
    }
}

void
CartPoleDeployment::PlaceCarts()
{
    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        const auto node = m_cartNodes.Get(i);
        node->AggregateObject(m_carts[i]);
        if (node->IsInitialized())
        {
            Simulator::ScheduleWithContext(node->GetId(),
                                           Time(0),
                                           &CartPole::Initialize,
                                           m_carts[i]);
        }
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
    helper.SetTypeId(m_agentType);
    helper.SetAttribute("ActionDelay", TimeValue(m_parameters.actionDelay));
    helper.SetAttribute("Limited", BooleanValue(m_parameters.terminateWhenFallen));
    helper.SetAttribute("Restarted", BooleanValue(m_parameters.restartWhenFallen));
    helper.SetAttribute("Central", BooleanValue(central));
    helper.SetAttribute("Carts", UintegerValue(central ? m_parameters.carts : 1));
    const auto names = m_parameters.GetAgentNames();
    for (uint32_t i = 0; i < m_agentNodes.GetN(); i++)
    {
        helper.SetAttribute("FirstCart", UintegerValue(i));
        helper.SetAttribute("InferenceQueue",
                            PointerValue(m_parameters.inference.MakeQueue(names[i])));
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
    if (m_server)
    {
        communication.SetTrainingServerApps(m_server->InstallApplication());
    }
    communication.SetIds();
    if (m_server)
    {
        communication.AddCommunication(m_server->GetCommunication());
    }

    for (uint32_t i = 0; i < m_parameters.carts; i++)
    {
        CommunicationPair observation{m_observers.GetId(i),
                                      m_agents.GetId(m_parameters.GetAgentOf(i))};
        CommunicationPair action{m_actors.GetId(i), m_agents.GetId(m_parameters.GetAgentOf(i))};
        if (m_parameters.transport == "simple")
        {
            if (m_parameters.placement != "local")
            {
                const CommunicationAttributes attributes{m_parameters.delay, m_parameters.loss};
                observation.attributes = action.attributes = attributes;
            }
        }
        else
        {
            SocketCommunicationAttributes attributes;
            if (m_parameters.transport == "tcp")
            {
                attributes.protocol = TcpSocketFactory::GetTypeId();
            }
            if (m_network)
            {
                // A central agent may have several; the cart reaches this one.
                attributes.serverAddress = m_network->GetAgentAddress(i);
            }
            observation.attributes = action.attributes = attributes;
        }
        // Rewards are for training only; they are known without delay.
        const CommunicationPair reward{m_rewarders.GetId(i),
                                       m_agents.GetId(m_parameters.GetAgentOf(i))};
        communication.AddCommunication({observation, reward, action});
    }
    communication.Configure();
}

} // namespace ns3
