// SPDX-License-Identifier: GPL-2.0-only

#include "test-session.h"

#include "sha256.h"

#include "ns3/abort.h"
#include "ns3/hash.h"
#include "ns3/rl-simulation.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

TestSession::TestSession(const TesterParameters& parameters,
                         ReplicaProtocol& protocol,
                         PartitionController::Sender send)
    : m_parameters(parameters),
      m_protocol(protocol),
      m_painter(protocol.GetFields(), parameters.replicas),
      m_controller(protocol, parameters.replicas, parameters.requests, std::move(send)),
      m_partition(parameters.replicas),
      m_delays(m_controller, parameters.replicas),
      m_clocks(parameters.replicas)
{
    std::string fault;
    m_boundary = parameters.ReadBoundary(protocol, fault);
    fault += m_painter.Parse(parameters.GetPainter(protocol));
    NS_ABORT_MSG_UNLESS(fault.empty(), fault);
}

void
TestSession::Act(TesterAction action, const TesterActions& actions)
{
    if (m_turn == 0)
    {
        m_step = {.number = m_step.number + 1,
                  .violations = {},
                  .warnings = {},
                  .history = {},
                  .messageEvents = {},
                  .actions = {},
                  .healingTicks = 0};
    }
    m_step.actions.push_back(action);
    m_ticksLeft = m_parameters.roles ? m_parameters.ticksPerPartition : 1;
    switch (action.kind)
    {
    case TesterAction::CREATE:
        m_partition.Divide(actions.GetBlocks(action.argument), Draw());
        NotePartition();
        [[fallthrough]];
    case TesterAction::KEEP:
        m_ticksLeft = m_parameters.ticksPerPartition;
        break;
    case TesterAction::REQUEST:
        m_controller.ReceiveRequest();
        m_requestTime = Simulator::Now().GetNanoSeconds();
        m_requests = true;
        break;
    case TesterAction::HEAL:
        BeginHealing();
        break;
    default:
        Switch(action);
    }
    m_turn++;
    AskOrTick();
}

void
TestSession::Switch(TesterAction action)
{
    const auto id = Draw().at(action.argument);
    auto& state = m_states.at(id - 1);
    switch (action.kind)
    {
    case TesterAction::STOP:
        m_controller.Stop(id, m_parameters.CrashesAnywhere() ? DrawCrash(id) : 0);
        m_partition.Stop(id, m_parameters.CrashesAnywhere());
        state.active = false;
        m_crashes++;
        RlSimulation::NoteEvent("crash", "replica " + std::to_string(id));
        break;
    case TesterAction::START:
        m_controller.Start(id);
        m_partition.Start(id);
        state.active = true;
        RlSimulation::NoteEvent("restart", "replica " + std::to_string(id));
        break;
    case TesterAction::DELAY:
        m_delays.Delay(id);
        m_ticksLeft = m_parameters.ticksPerPartition;
        RlSimulation::NoteEvent("delay", "replica " + std::to_string(id));
        break;
    case TesterAction::RELEASE:
        m_delays.Release(id);
        RlSimulation::NoteEvent("release", "replica " + std::to_string(id));
        break;
    case TesterAction::AHEAD:
    case TesterAction::BACK:
    case TesterAction::RIGHT:
        SetClock(action.kind, id);
        break;
    default:
        m_controller.BecomeByzantine(id);
        state.byzantine = true;
        m_byzantine++;
        RlSimulation::NoteEvent("byzantine", "replica " + std::to_string(id));
    }
}

void
TestSession::SetClock(TesterAction::Kind kind, uint32_t id)
{
    // Of an episode, a replica and a direction alone, so that left-out steps change no jump.
    std::string key;
    for (const uint64_t number :
         {uint64_t{RngSeedManager::GetSeed()}, uint64_t{RngSeedManager::GetRun()}, uint64_t{id}})
    {
        key += std::to_string(number) + "/";
    }
    const auto largest = static_cast<uint64_t>(m_parameters.largestJump.GetNanoSeconds());
    const auto jump = static_cast<int64_t>(1 + Hash64(key + std::to_string(kind)) % largest);
    const auto error = kind == TesterAction::RIGHT ? 0 : kind == TesterAction::AHEAD ? jump : -jump;
    m_clocks.at(id - 1) = error;
    m_states.at(id - 1).clockError = error;
    m_controller.SetClock(id, error);
    RlSimulation::NoteEvent("clock",
                            "replica " + std::to_string(id) + ": " + std::to_string(error / 1e9) +
                                " s ahead");
}

uint64_t
TestSession::DrawCrash(uint32_t id) const
{
    // Independent of other states: left-out steps and changed protocols keep the drawn point.
    std::string key;
    for (const uint64_t number : {RngSeedManager::GetSeed(),
                                  static_cast<uint32_t>(RngSeedManager::GetRun()),
                                  id,
                                  m_crashes,
                                  m_controller.GetGroup().requests})
    {
        key += std::to_string(number) + "/";
    }
    return std::max(Hash64(key), uint64_t{1});
}

void
TestSession::NotePartition() const
{
    if (!RlSimulation::IsRecorded())
    {
        return;
    }
    std::map<int32_t, std::string> blocks;
    const auto& ofReplicas = m_partition.GetBlocksOfReplicas();
    for (std::size_t i = 0; i < ofReplicas.size(); i++)
    {
        blocks[ofReplicas[i]] += " " + std::to_string(i + 1);
    }
    std::string text;
    for (const auto& [block, replicas] : blocks)
    {
        text += (text.empty() ? "replicas" : " |") + replicas;
    }
    RlSimulation::NoteEvent("partition", text);
}

void
TestSession::AskOrTick()
{
    if (m_turn < m_players.size())
    {
        Look();
        m_players[m_turn]->Ask();
        return;
    }
    m_turn = 0;
    m_requests = false;
    CutLinks();
    BeginTick();
}

void
TestSession::CutLinks()
{
    if (m_parameters.delivery == "network")
    {
        for (uint32_t id = 1; id <= m_parameters.replicas; id++)
        {
            m_controller.Cut(id, m_partition.FindApart(id));
        }
    }
}

void
TestSession::BeginTick()
{
    if (m_healing)
    {
        HealTick();
    }
    if (m_parameters.delivery == "pool")
    {
        PoolTick();
    }
    m_step.ticks++;
    m_ticksLeft--;
    m_controller.Tick();
}

void
TestSession::PoolTick()
{
    std::vector<PendingMessage> delivered;
    std::vector<PendingMessage> dropped;
    const bool drops = m_parameters.dropRule == "every_tick" ||
                       (m_parameters.dropRule == "first_tick" && m_step.ticks == 0);
    m_delays.BeginTick();
    for (const auto& message : m_controller.GetPendingMessages())
    {
        if (delivered.size() + dropped.size() == m_parameters.mostMessages && !m_healing)
        {
            break;
        }
        if (m_delays.Delays(message))
        {
            continue;
        }
        if (m_partition.AreTogether(message.from, message.to))
        {
            delivered.push_back(message);
        }
        else if (drops)
        {
            dropped.push_back(message);
        }
    }
    m_step.dropped += dropped.size();
    const auto released = m_delays.TakeReleased();
    m_releases = delivered.size() + released.size();
    m_controller.DeliverMessages(delivered);
    m_controller.DeliverMessages(released);
    m_controller.DropMessages(dropped);
}

void
TestSession::TakeReport(ReplicaReport report)
{
    if (m_controller.TakeReport(std::move(report)))
    {
        OnTicked();
    }
}

void
TestSession::OnTicked()
{
    m_step.delivered += m_controller.CountDelivered();
    m_step.dropped += m_controller.CountCut();
    if (m_parameters.CrashesAnywhere() && m_releases > m_controller.CountDelivered())
    {
        m_step.dropped += m_releases - m_controller.CountDelivered(); // lost in a crash
    }
    const auto& events = m_controller.GetMessageEvents();
    m_step.messageEvents.insert(m_step.messageEvents.end(), events.begin(), events.end());
    NoteClients();
    Judge();
    if (m_healing)
    {
        NoteHealing();
    }
    m_ticksLeft > 0 ? BeginTick() : FinishStep();
}

void
TestSession::NoteClients()
{
    if (!m_parameters.histories)
    {
        return;
    }
    if (const auto request = m_controller.GetTakenRequest(); request > 0)
    {
        m_history.Invoke(request, m_requestTime);
    }
    m_history.TakeAnswers(m_controller.GetGroup());
}

void
TestSession::Judge()
{
    const auto& group = m_controller.GetGroup();
    for (auto& violation : m_protocol.Check(group))
    {
        m_step.violations.push_back(std::move(violation));
    }
    for (const auto& failure : m_controller.GetFailures())
    {
        m_step.violations.push_back("replica_crash: " + failure);
    }
    for (uint32_t id = 1; id <= group.states.size(); id++)
    {
        if (!group.states[id - 1].active && m_partition.IsActive(id))
        {
            m_partition.Stop(id, m_parameters.CrashesAnywhere()); // it has crashed by itself
        }
    }
    WatchProgress();
}

void
TestSession::WatchProgress()
{
    const auto progress = m_protocol.GetProgress(m_controller.GetGroup());
    const bool isIdle = m_partition.IsOne() && progress == m_progress &&
                        !m_protocol.IsDone(m_controller.GetGroup());
    m_idleTicks = isIdle ? m_idleTicks + 1 : 0;
    m_progress = progress;
    if (m_idleTicks > 0 && m_idleTicks == m_parameters.noProgressTicks)
    {
        m_step.warnings.push_back("no_progress: no progress in " + std::to_string(m_idleTicks) +
                                  " ticks, in which all replicas ran in one block");
    }
}

void
TestSession::BeginHealing()
{
    m_healing.emplace(m_protocol, m_controller.GetGroup(), m_parameters);
    m_ticksLeft = 1; // another tick, while replicas are not healed
    m_partition.Unite();
    m_delays.Clear();
    m_clocks.assign(m_clocks.size(), 0);
    RlSimulation::NoteEvent("heal", "all replicas");
    NotePartition();
}

void
TestSession::HealTick()
{
    // The takers of requests are known when all replicas have run for a tick.
    if (m_step.ticks > 0 && m_healing->WantsRequest() && m_controller.HasTaker())
    {
        m_controller.ReceiveNewRequest();
        m_requestTime = Simulator::Now().GetNanoSeconds();
    }
    m_partition.Unite(); // crashed processes are started again
    m_controller.Heal();
}

void
TestSession::NoteHealing()
{
    m_step.healingTicks++;
    m_healing->NoteTick(m_controller.GetGroup(), m_controller.GetTakenRequest());
    const bool isStopped = m_parameters.stopsOnViolation && !m_step.violations.empty();
    m_ticksLeft = !isStopped && !m_healing->IsOver();
    if (m_ticksLeft > 0)
    {
        return;
    }
    if (!isStopped)
    {
        for (const auto& found :
             {m_healing->FindViolations(), m_protocol.CheckHealed(m_controller.GetGroup())})
        {
            m_step.violations.insert(m_step.violations.end(), found.begin(), found.end());
        }
    }
    m_healing.reset();
}

void
TestSession::FinishStep()
{
    m_states = m_controller.GetGroup().states;
    m_delays.EndStep();
    for (uint32_t id = 1; id <= m_states.size(); id++)
    {
        m_states[id - 1].delayed = m_delays.DelaysFor(id);
        m_states[id - 1].clockError = m_clocks[id - 1];
    }
    Look();
    auto look = m_partition.GetText();
    m_repeats = look == m_look ? std::min(m_repeats + 1, m_parameters.staySameUpto) : 0;
    m_look = std::move(look);
    m_step.history = m_history.Take();
    const bool isViolated = !m_step.violations.empty();
    const bool terminates = m_parameters.stopsOnViolation && isViolated;
    const bool isCut = m_step.number >= m_parameters.horizon || IsOutOfBounds();
    m_mustHeal = !terminates && MustHeal(isCut);
    const bool ends = terminates || (isCut && !m_mustHeal);
    m_concreteHash = Sha256(GetConcreteText());
    for (auto* player : m_players)
    {
        player->Earn(isViolated ? 1 : 0);
        if (ends)
        {
            player->End(terminates);
        }
    }
    if (!ends)
    {
        m_players.front()->Ask();
    }
}

void
TestSession::Look()
{
    m_partition.Paint(m_painter, m_states);
    if (m_turn > 0)
    {
        m_concreteHash = Sha256(GetConcreteText());
    }
}

} // namespace ns3
