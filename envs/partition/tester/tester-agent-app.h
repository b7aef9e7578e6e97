// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_AGENT_APP_H
#define TESTER_AGENT_APP_H

#include "sha256.h"
#include "test-session.h"
#include "tester-actions.h"

#include "ns3/abort.h"
#include "ns3/agent-application.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @param part The numerator.
 * @param whole The denominator.
 * @return the share; 0 for 0 / 0
 */
inline float
Share(uint32_t part, uint32_t whole)
{
    return whole == 0 ? 0 : static_cast<float>(part) / whole;
}

/**
 * @param lines Lines.
 * @return the lines as one text
 */
inline std::string
ToLines(const std::vector<std::string>& lines)
{
    std::string text;
    for (const auto& line : lines)
    {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

/**
 * @brief A log as JSON, of which only changes are written again.
 */
class LogText
{
  public:
    /**
     * @param log The log.
     * @return its entries, each as its term and request in brackets, separated by commas
     */
    const std::string& Write(const std::vector<ReplicaEntry>& log)
    {
        const auto kept = CountCommon(m_log, log);
        m_ends.resize(kept);
        m_text.resize(kept == 0 ? 0 : m_ends.back());
        for (std::size_t i = kept; i < log.size(); i++)
        {
            m_text += i == 0 ? "[" : ",[";
            m_text += std::to_string(log[i].term) + "," + std::to_string(log[i].request) + "]";
            m_ends.push_back(m_text.size());
        }
        m_log = log;
        return m_text;
    }

  private:
    std::vector<ReplicaEntry> m_log; //!< The text
    std::vector<std::size_t> m_ends; //!< End of each entry's text
    std::string m_text;              //!< The text
};

/**
 * @brief Tests replicas: it partitions their network, stops and starts them, and sends requests; or
 * it has one of these roles, beside agents of the other roles on its node.
 *
 * A decision is a number of TesterActions; see TestSession for the steps.
 *
 * Its observation is {"action_mask": Box of n x int8, "observation": Box of float}. For each slot:
 * the features of the colour, the block divided by the number of replicas, whether the replica
 * runs, whether it is Byzantine. With delays: whether its messages wait. With jumps: whether its
 * clock is back (0), right (0.5) or ahead (1). Then: repeat count, pending requests, remaining
 * stops and steps so far, each as a share of its largest value.
 */
class TesterAgentApp : public AgentApplication, public TestPlayer
{
  public:
    /**
     * Test the replicas connected with this agent; the test begins, and other players may join.
     *
     * @param parameters The allowed actions.
     * @param protocol Protocol of the replicas; it lives as long as this object.
     */
    void Host(const TesterParameters& parameters, ReplicaProtocol& protocol)
    {
        m_hosts = true;
        const auto send = [this](uint32_t replica, const ReplicaCommand& command) {
            SendAction(command.Encode(), replica - 1);
        };
        Play(std::make_shared<TestSession>(parameters, protocol, send),
             parameters.roles ? TesterRole::CLIENT : TesterRole::TESTER);
    }

    /**
     * Join the test of another agent, after all earlier players.
     *
     * @param host The agent that is connected with the replicas.
     * @param role The role.
     */
    void Join(Ptr<TesterAgentApp> host, TesterRole role)
    {
        Play(host->m_session, role);
    }

    void Ask() override
    {
        Look();
        InferAction();
    }

    void Earn(double reward) override
    {
        m_reward += reward;
    }

    void End(bool terminated) override
    {
        Look();
        terminated ? Terminate() : Truncate();
    }

  private:
    void DoDispose() override
    {
        m_session.reset();
        AgentApplication::DoDispose();
    }

    void StartApplication() override
    {
        AgentApplication::StartApplication();
        if (m_hosts)
        {
            m_session->Begin();
        }
    }

    void OnRecvObs(uint32_t remoteAppId) override
    {
        m_session->TakeReport(
            ReplicaReport::Decode(m_obsDataStruct.GetNewestByID(remoteAppId)->data));
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        const auto features = m_session->GetPainter().CountFeatures();
        const auto& parameters = m_session->GetParameters();
        const auto size =
            parameters.replicas * (features + 3 + parameters.withDelays + parameters.ClocksJump()) +
            4;
        return MakeDictSpace("action_mask",
                             MakeBoxSpace<int8_t>(m_actions->Count(), 0, 1),
                             "observation",
                             MakeBoxSpace<float>(size, 0, 1));
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(m_actions->Count());
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        const auto chosen = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        m_session->Act(m_actions->Get(FindLegal(chosen)), *m_actions);
    }

    OpenGymInfo GetExtraInfo() override
    {
        if (m_mask.empty())
        {
            return {};
        }
        static const char* const roles[] = {"tester", "client", "crasher", "partitioner"};
        const auto& parameters = m_session->GetParameters();
        const auto& controller = m_session->GetController();
        const auto& step = m_session->GetStep();
        const auto pending = controller.GetPendingMessages().size();
        OpenGymInfo info{
            {"state_hash", Sha256(m_session->GetStateText())},
            {"concrete_hash", m_session->GetConcreteHash()},
            {"partition", MakeBoxContainer(m_session->GetPartition().GetBlocksOfReplicas())},
            {"repeat_count", int64_t{m_session->GetRepeats()}},
            {"ticks", int64_t{step.ticks}},
            {"delivered", int64_t{step.delivered}},
            {"dropped", int64_t{step.dropped}},
            {"pending_messages", static_cast<int64_t>(pending)},
            {"pending_requests", int64_t{controller.CountPendingRequests()}},
            {"remaining_crashes", int64_t{m_session->CountCrashesLeft()}},
            {"violations", ToLines(step.violations)},
            {"warnings", ToLines(step.warnings)},
            {"out_of_bounds", int64_t{m_session->IsOutOfBounds()}},
            {"virtual_time", Simulator::Now().GetSeconds()},
        };
        if (parameters.illegalActions == "refuse")
        {
            info["action_mask"] = MakeBoxContainer(m_mask);
        }
        if (parameters.withByzantine)
        {
            info["remaining_byzantine"] = int64_t{m_session->CountByzantineLeft()};
        }
        if (parameters.Heals())
        {
            info["healing_ticks"] = int64_t{step.healingTicks};
        }
        if (parameters.withDelays)
        {
            info["delayed_messages"] = int64_t{m_session->GetDelays().Count()};
        }
        if (parameters.ClocksJump())
        {
            const auto& states = m_session->GetStates();
            info["wrong_clocks"] =
                std::count_if(states.begin(), states.end(), [](const auto& state) {
                    return state.clockError != 0;
                });
        }
        if (parameters.roles)
        {
            info["role"] = roles[static_cast<int>(m_role)];
        }
        if (parameters.actionHashes)
        {
            info["action_hashes"] = GetActionHashes();
        }
        if (parameters.histories)
        {
            info["history"] = step.history.empty() ? "[]" : step.history;
        }
        if (parameters.messageEvents)
        {
            info["message_events"] = GetMessagesText();
        }
        if (parameters.infos == "all")
        {
            AddStates(info);
        }
        return info;
    }

    /**
     * Take part in a test.
     *
     * @param session The test.
     * @param role The role.
     */
    void Play(const std::shared_ptr<TestSession>& session, TesterRole role)
    {
        m_session = session;
        m_role = role;
        m_actions = std::make_unique<TesterActions>(session->GetParameters(), role);
        session->Join(*this);
    }

    /// Observe the session
    void Look()
    {
        m_mask = m_actions->GetMask(m_session->GetPartition(), m_session->GetCounts());
        m_observation = MakeDictContainer("action_mask",
                                          MakeBoxContainer(m_mask),
                                          "observation",
                                          MakeBoxContainer(GetFeatures()));
    }

    /**
     * @param index Number of the chosen action.
     * @return the action to execute instead, which the mask allows
     */
    uint32_t FindLegal(uint32_t index) const
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

    /// @return observation without the mask
    std::vector<float> GetFeatures() const
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
            if (parameters.ClocksJump())
            {
                const auto error = partition.GetClockAt(slot);
                features.push_back(error == 0 ? 0.5F : static_cast<float>(error > 0));
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

    /// @param info info to extend
    void AddStates(OpenGymInfo& info) const
    {
        const auto& partition = m_session->GetPartition();
        std::string colors = "[";
        for (uint32_t slot = 0; slot < m_session->GetParameters().replicas; slot++)
        {
            colors += (slot > 0 ? "," : "") + partition.GetColorAt(slot).text;
        }
        const auto& slots = partition.GetSlots();
        info["colors"] = colors + "]";
        info["slots"] = MakeBoxContainer(std::vector<int32_t>(slots.begin(), slots.end()));
        info["replicas"] = GetReplicasText();
    }

    /// @return states of all replicas, as JSON
    std::string GetReplicasText() const
    {
        std::string text = "[";
        const auto& fields = m_session->GetProtocol().GetFields();
        const auto& states = m_session->GetStates();
        m_logs.resize(states.size());
        for (std::size_t id = 1; id <= states.size(); id++)
        {
            const auto& state = states[id - 1];
            text += text.size() > 1 ? ",{" : "{";
            text += state.active ? "\"active\":true" : "\"active\":false";
            text += state.byzantine ? ",\"byzantine\":true" : ",\"byzantine\":false";
            if (m_session->GetParameters().withDelays)
            {
                text += state.delayed ? ",\"delayed\":true" : ",\"delayed\":false";
            }
            if (m_session->GetParameters().ClocksJump())
            {
                text += ",\"clock_error_ns\":" + std::to_string(state.clockError);
            }
            for (std::size_t i = 0; i < fields.size(); i++)
            {
                text += ",\"" + fields[i].name + "\":" + std::to_string(state.values[i]);
            }
            text += ",\"log\":[";
            text += m_logs[id - 1].Write(state.log);
            text += "]}";
        }
        return text + "]";
    }

    /// @return hashes of allowed actions, a line each
    std::string GetActionHashes() const
    {
        std::vector<std::string> hashes;
        for (uint32_t index = 0; index < m_mask.size(); index++)
        {
            if (m_mask[index] == 1)
            {
                hashes.push_back(Sha256(m_actions->GetLook(index, m_session->GetPartition())));
            }
        }
        return ToLines(hashes);
    }

    /// @return fates of messages, as JSON
    std::string GetMessagesText() const
    {
        static const char* const kinds[] = {"sent", "arrived", "delivered", "dropped"};
        std::ostringstream text;
        text << "[";
        for (const auto& [kind, from, to, number, time, said] : m_session->GetStep().messageEvents)
        {
            text << (text.tellp() > 1 ? "," : "") << "{\"event\":\"" << kinds[kind]
                 << "\",\"from\":" << from << ",\"to\":" << to << ",\"number\":" << number
                 << ",\"time_ns\":" << time << ",\"text\":" << std::quoted(said) << "}";
        }
        text << "]";
        return text.str();
    }

    std::shared_ptr<TestSession> m_session;   //!< The test
    std::unique_ptr<TesterActions> m_actions; //!< The possible actions
    TesterRole m_role{TesterRole::TESTER};    //!< The role
    bool m_hosts{false};                      //!< Whether it hosts the session
    mutable std::vector<LogText> m_logs;      //!< Last reported logs of all replicas
    std::vector<int8_t> m_mask;               //!< Currently allowed actions
};

} // namespace ns3

#endif // TESTER_AGENT_APP_H
