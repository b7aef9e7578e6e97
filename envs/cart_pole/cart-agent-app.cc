// SPDX-License-Identifier: GPL-2.0-only

#include "cart-agent-app.h"

#include "cart-pole.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CartAgentApp);

TypeId
CartAgentApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CartAgentApp")
            .SetParent<AgentApplication>()
            .SetGroupName("defiance")
            .AddConstructor<CartAgentApp>()
            .AddAttribute("FirstCart",
                          "Number of the observation and action application of its first cart.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CartAgentApp::m_firstCart),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Carts",
                          "How many carts, one after the other, it balances.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&CartAgentApp::m_carts),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Central",
                          "Whether an action is one push for each cart.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CartAgentApp::m_central),
                          MakeBooleanChecker())
            .AddAttribute("Limited",
                          "Whether carts stop when they leave their limits; if not, positions and "
                          "angles are unbounded.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&CartAgentApp::m_limited),
                          MakeBooleanChecker())
            .AddAttribute("Restarted",
                          "Whether carts that fall are put upright again.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CartAgentApp::m_restarted),
                          MakeBooleanChecker());
    return tid;
}

void
CartAgentApp::Setup()
{
    AgentApplication::Setup();
    m_states.resize(4 * m_carts);
    m_falls.resize(m_carts);
}

void
CartAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto& state = sample->Get("state")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    const uint32_t cart = remoteAppId - m_firstCart;
    std::copy(state.begin(), state.end(), m_states.begin() + 4 * cart);
    m_falls[cart] = sample->Get("fallen")->GetObject<OpenGymDiscreteContainer>()->GetValue();
    m_observation = MakeObservation(m_states);
    if (m_carts == 1)
    {
        Decide();
    }
    else if (m_decideEvent.IsExpired())
    {
        // Samples of the other carts that arrive in this instant are under way already.
        m_decideEvent = Simulator::ScheduleNow(&CartAgentApp::Decide, this);
    }
}

Ptr<OpenGymDataContainer>
CartAgentApp::MakeObservation(const std::vector<float>& states) const
{
    return MakeBoxContainer(states);
}

void
CartAgentApp::OnRecvReward(uint32_t remoteAppId)
{
    const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
    m_reward += message->Get("reward")->GetObject<OpenGymBoxContainer<double>>()->GetValue(0);
}

void
CartAgentApp::Decide()
{
    for (uint32_t cart = 0; cart < m_carts; cart++)
    {
        if (!IsFallen(cart))
        {
            InferAction();
            return;
        }
    }
    Terminate();
}

bool
CartAgentApp::IsFallen(uint32_t cart) const
{
    return m_falls[cart] > 0 && !m_restarted;
}

OpenGymInfo
CartAgentApp::GetExtraInfo()
{
    if (!m_restarted)
    {
        return {};
    }
    if (!m_central)
    {
        return {{"falls", m_falls[0]}};
    }
    return {{"falls", MakeBoxContainer(m_falls)}};
}

Ptr<OpenGymSpace>
CartAgentApp::GetObservationSpace()
{
    constexpr auto infinity = std::numeric_limits<float>::infinity();
    const float x = m_limited ? 2 * CartPole::X_LIMIT : infinity;
    const float theta = m_limited ? 2 * CartPole::THETA_LIMIT : infinity;
    std::vector<float> low;
    std::vector<float> high;
    for (uint32_t cart = 0; cart < m_carts; cart++)
    {
        low.insert(low.end(), {-x, -infinity, -theta, -infinity});
        high.insert(high.end(), {x, infinity, theta, infinity});
    }
    return MakeBoxSpace(low, high);
}

Ptr<OpenGymSpace>
CartAgentApp::GetActionSpace()
{
    if (m_central)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>(m_carts, 2));
    }
    return MakeDiscreteSpace(2);
}

void
CartAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_central)
    {
        AgentApplication::InitiateAction(action);
        return;
    }
    const auto pushes = action->GetObject<OpenGymMultiDiscreteContainer>();
    for (uint32_t cart = 0; cart < m_carts; cart++)
    {
        if (!IsFallen(cart))
        {
            auto push = MakeDiscreteContainer(pushes->GetValue(cart));
            SendAction(MakeDictContainer("default", push), m_firstCart + cart);
        }
    }
}

} // namespace ns3
