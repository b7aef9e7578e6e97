// SPDX-License-Identifier: GPL-2.0-only

#include "tester-agent-app.h"

#include "sha256.h"

#include "ns3/abort.h"
#include "ns3/hash.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TesterAgentApp);

TypeId
TesterAgentApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TesterAgentApp")
                            .SetParent<AgentApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<TesterAgentApp>();
    return tid;
}

TesterAgentApp::~TesterAgentApp() = default;

void
TesterAgentApp::SetTest(const TesterParameters& parameters, ReplicaProtocol& protocol)
{
    m_parameters = parameters;
    m_protocol = &protocol;
    std::string fault;
    m_boundary = parameters.ReadBoundary(protocol, fault);
    m_painter = std::make_unique<Painter>(protocol.GetFields(), parameters.replicas);
    fault += m_painter->Parse(parameters.painter);
    NS_ABORT_MSG_UNLESS(fault.empty(), fault);
    m_actions = std::make_unique<TesterActions>(parameters);
    m_partition = std::make_unique<ColoredPartition>(parameters.replicas);
    m_controller = std::make_unique<PartitionController>(
        protocol,
        parameters.replicas,
        parameters.requests,
        [this](uint32_t replica, const ReplicaCommand& command) {
            SendAction(command.Encode(), replica - 1);
        });
}

void
TesterAgentApp::DoDispose()
{
    m_controller.reset();
    m_protocol = nullptr;
    AgentApplication::DoDispose();
}

void
TesterAgentApp::StartApplication()
{
    AgentApplication::StartApplication();
    m_controller->Reset();
}

void
TesterAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto report = ReplicaReport::Decode(m_obsDataStruct.GetNewestByID(remoteAppId)->data);
    if (m_controller->TakeReport(report))
    {
        OnTicked();
    }
}

void
TesterAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    const auto chosen = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
    const auto legal = m_actions->Get(FindLegal(chosen));
    m_steps++;
    m_delivered = 0;
    m_dropped = 0;
    m_violations.clear();
    m_isFirstTick = true;
    m_ticksLeft = 1;
    switch (legal.kind)
    {
    case TesterAction::CREATE:
        m_partition->Divide(m_actions->GetBlocks(legal.argument));
        [[fallthrough]];
    case TesterAction::KEEP:
        m_ticksLeft = m_parameters.ticksPerPartition;
        break;
    case TesterAction::STOP:
    case TesterAction::START:
        Switch(legal);
        break;
    case TesterAction::REQUEST:
        m_controller->ReceiveRequest();
        break;
    }
    BeginTick();
}

uint32_t
TesterAgentApp::FindLegal(uint32_t index) const
{
    if (m_mask[index] == 1)
    {
        return index;
    }
    NS_ABORT_MSG_IF(m_parameters.illegalActions == "refuse",
                    "action " << index << " is illegal: its action_mask is 0 in step " << m_steps
                              << "; with illegal_actions=keep the first legal one is taken");
    return std::find(m_mask.begin(), m_mask.end(), 1) - m_mask.begin();
}

void
TesterAgentApp::Switch(TesterAction action)
{
    const auto alike = m_partition->FindAlike(action.argument);
    const auto key = m_concreteHash + std::to_string(RngSeedManager::GetSeed()) + "/" +
                     std::to_string(RngSeedManager::GetRun());
    const auto id = alike[Hash64(key) % alike.size()];
    if (action.kind == TesterAction::STOP)
    {
        m_controller->Stop(id);
        m_partition->Stop(id);
        m_crashes++;
    }
    else
    {
        m_controller->Start(id);
        m_partition->Start(id);
    }
}

void
TesterAgentApp::BeginTick()
{
    std::vector<PendingMessage> delivered;
    std::vector<PendingMessage> dropped;
    const bool drops = m_parameters.dropRule == "every_tick" ||
                       (m_parameters.dropRule == "first_tick" && m_isFirstTick);
    for (const auto& message : m_controller->GetPendingMessages())
    {
        if (delivered.size() + dropped.size() == m_parameters.mostMessages)
        {
            break;
        }
        if (m_partition->AreTogether(message.from, message.to))
        {
            delivered.push_back(message);
        }
        else if (drops)
        {
            dropped.push_back(message);
        }
    }
    m_delivered += delivered.size();
    m_dropped += dropped.size();
    m_isFirstTick = false;
    m_ticksLeft--;
    m_controller->DeliverMessages(delivered);
    m_controller->DropMessages(dropped);
    m_controller->Tick();
}

void
TesterAgentApp::OnTicked()
{
    for (auto& violation : m_protocol->Check(m_controller->GetStates()))
    {
        m_violations.push_back(std::move(violation));
    }
    m_ticksLeft > 0 ? BeginTick() : FinishStep();
}

void
TesterAgentApp::FinishStep()
{
    m_partition->Paint(*m_painter, m_controller->GetStates());
    auto text = m_partition->GetText();
    m_repeats = text == m_text ? std::min(m_repeats + 1, m_parameters.staySameUpto) : 0;
    m_text = std::move(text);
    m_concreteHash = Sha256(GetConcreteText());
    m_mask = m_actions->GetMask(*m_partition, m_crashes, m_controller->CanDeliverRequest());
    m_observation = MakeDictContainer("action_mask",
                                      MakeBoxContainer(m_mask),
                                      "observation",
                                      MakeBoxContainer(GetFeatures()));
    m_reward += m_violations.empty() ? 0 : 1;
    if (m_parameters.stopsOnViolation && !m_violations.empty())
    {
        Terminate();
    }
    else if (m_steps == m_parameters.horizon || IsOutOfBounds())
    {
        Truncate();
    }
    else
    {
        InferAction();
    }
}

bool
TesterAgentApp::IsOutOfBounds() const
{
    const auto& states = m_controller->GetStates();
    return std::any_of(states.begin(), states.end(), [this](const ReplicaState& state) {
        return std::any_of(m_boundary.begin(), m_boundary.end(), [&](const auto& bound) {
            return state.values[bound.first] > bound.second;
        });
    });
}

} // namespace ns3
