// SPDX-License-Identifier: GPL-2.0-only

#include "tester-agent-app.h"

#include "ns3/abort.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param part The numerator.
 * @param whole The denominator.
 * @return the share; 0 for 0 / 0
 */
float
Share(uint32_t part, uint32_t whole)
{
    return whole == 0 ? 0 : static_cast<float>(part) / whole;
}

} // namespace

void
TesterAgentApp::Host(const TesterParameters& parameters, ReplicaProtocol& protocol)
{
    m_hosts = true;
    const auto send = [this](uint32_t replica, const ReplicaCommand& command) {
        SendAction(command.Encode(), replica - 1);
    };
    Play(std::make_shared<TestSession>(parameters, protocol, send),
         parameters.roles ? TesterRole::CLIENT : TesterRole::TESTER);
}

void
TesterAgentApp::Join(Ptr<TesterAgentApp> host, TesterRole role)
{
    Play(host->m_session, role);
}

void
TesterAgentApp::Play(const std::shared_ptr<TestSession>& session, TesterRole role)
{
    m_session = session;
    m_role = role;
    m_actions = std::make_unique<TesterActions>(session->GetParameters(), role);
    session->Join(*this);
}

void
TesterAgentApp::DoDispose()
{
    m_session.reset();
    AgentApplication::DoDispose();
}

void
TesterAgentApp::StartApplication()
{
    AgentApplication::StartApplication();
    if (m_hosts)
    {
        m_session->Begin();
    }
}

void
TesterAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    m_session->TakeReport(ReplicaReport::Decode(m_obsDataStruct.GetNewestByID(remoteAppId)->data));
}

void
TesterAgentApp::Ask()
{
    Look();
    InferAction();
}

void
TesterAgentApp::Earn(double reward)
{
    m_reward += reward;
}

void
TesterAgentApp::End(bool terminated)
{
    Look();
    terminated ? Terminate() : Truncate();
}

void
TesterAgentApp::Look()
{
    m_mask = m_actions->GetMask(m_session->GetPartition(), m_session->GetCounts());
    m_observation = MakeDictContainer("action_mask",
                                      MakeBoxContainer(m_mask),
                                      "observation",
                                      MakeBoxContainer(GetFeatures()));
}

void
TesterAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    const auto chosen = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
    m_session->Act(m_actions->Get(FindLegal(chosen)), *m_actions);
}

uint32_t
TesterAgentApp::FindLegal(uint32_t index) const
{
    if (m_mask[index] == 1)
    {
        return index;
    }
    NS_ABORT_MSG_IF(m_session->GetParameters().illegalActions == "refuse",
                    "action " << index << " is illegal: its action_mask is 0 in step "
                              << m_session->GetStep().number
                              << "; illegal_actions=keep takes the first legal action instead");
    return std::find(m_mask.begin(), m_mask.end(), 1) - m_mask.begin();
}

Ptr<OpenGymSpace>
TesterAgentApp::GetObservationSpace()
{
    const auto features = m_session->GetPainter().CountFeatures();
    const auto& parameters = m_session->GetParameters();
    const auto size = parameters.replicas * (features + 3 + parameters.withDelays) + 4;
    return MakeDictSpace("action_mask",
                         MakeBoxSpace<int8_t>(m_actions->Count(), 0, 1),
                         "observation",
                         MakeBoxSpace<float>(size, 0, 1));
}

Ptr<OpenGymSpace>
TesterAgentApp::GetActionSpace()
{
    return MakeDiscreteSpace(m_actions->Count());
}

std::vector<float>
TesterAgentApp::GetFeatures() const
{
    const auto& parameters = m_session->GetParameters();
    const auto& partition = m_session->GetPartition();
    const auto blocks = partition.GetBlocks();
    std::vector<float> features;
    for (uint32_t slot = 0; slot < parameters.replicas; slot++)
    {
        const auto& color = partition.GetColorAt(slot).features;
        features.insert(features.end(), color.begin(), color.end());
        features.push_back(Share(blocks[slot], parameters.replicas));
        features.push_back(partition.IsActiveAt(slot));
        features.push_back(partition.IsByzantineAt(slot));
        if (parameters.withDelays)
        {
            features.push_back(partition.IsDelayedAt(slot));
        }
    }
    const auto requests = m_session->GetController().CountPendingRequests();
    features.push_back(Share(m_session->GetRepeats(), parameters.staySameUpto));
    features.push_back(Share(requests, parameters.requests));
    features.push_back(Share(m_session->CountCrashesLeft(), parameters.crashLimit));
    const auto steps = std::min(m_session->GetStep().number, parameters.horizon);
    features.push_back(Share(steps, parameters.horizon));
    return features;
}

} // namespace ns3
