// SPDX-License-Identifier: GPL-2.0-only

#ifndef INFERENCE_TEST_SUPPORT_H
#define INFERENCE_TEST_SUPPORT_H

#include "application-test-support.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/inference-queue.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <string>
#include <vector>

/**
 * @ingroup defiance-tests
 * @brief A test of an inference queue by its timetable.
 *
 * The log has one word for each thing that happens to a job, with the time in nanoseconds: "b2+7"
 * starts, "b2-9" ends, "b2?7" is unblocked; "o/b!BUFFER_FULL@3" is dropped. The first letter of a
 * job is its source.
 */
class InferenceTestCase : public ns3::TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * @brief Start with another queue.
     * @param workers number of workers
     * @param seconds constant service time
     */
    void MakeQueue(uint32_t workers, const std::string& seconds)
    {
        m_log.clear();
        m_queue = ns3::CreateObject<ns3::InferenceQueue>();
        m_queue->SetAttribute("Workers", ns3::UintegerValue(workers));
        m_queue->SetAttribute(
            "ServiceTime",
            ns3::StringValue("ns3::ConstantRandomVariable[Constant=" + seconds + "]"));
        m_queue->TraceConnectWithoutContext("Drop",
                                            ns3::MakeCallback(&InferenceTestCase::NoteDrop, this));
    }

    /**
     * @brief Limit the buffer of the queue.
     * @param size number of jobs that may wait
     * @param policy policy for a full buffer
     */
    void SetBuffer(uint32_t size, const std::string& policy)
    {
        m_queue->SetAttribute("FullBufferPolicy", ns3::StringValue(policy));
        m_queue->SetAttribute("BufferSize", ns3::UintegerValue(size));
    }

    /**
     * @brief Submit a job.
     * @param name its name
     * @param owner its owner
     */
    void Submit(const std::string& name, const std::string& owner = "o")
    {
        m_queue->Submit({.source = {owner, name.substr(0, 1)},
                         .started = [=, this](ns3::Time) { Note(name + "+"); },
                         .finished = [=, this] { Note(name + "-"); },
                         .unblocked = [=, this] { Note(name + "?"); }});
    }

    /**
     * @brief Submit jobs at a time.
     * @param time the time, in nanoseconds
     * @param names their names
     */
    void SubmitAt(int64_t time, const std::vector<std::string>& names)
    {
        At(ns3::NanoSeconds(time), [=, this] {
            for (const auto& name : names)
            {
                Submit(name);
            }
        });
    }

    /**
     * @brief Run the simulation to its end.
     * @return the log
     */
    std::string Run()
    {
        ns3::Simulator::Run();
        ns3::Simulator::Destroy();
        return m_log;
    }

    /**
     * @brief Write into the log.
     * @param what the current event
     */
    void Note(const std::string& what)
    {
        m_log += (m_log.empty() ? "" : " ") + what +
                 std::to_string(ns3::Simulator::Now().GetNanoSeconds());
    }

    ns3::Ptr<ns3::InferenceQueue> m_queue; //!< The tested queue

  private:
    /**
     * @brief Write a dropped job into the log.
     * @param source source of the job
     * @param reason reason of the drop
     */
    void NoteDrop(const ns3::InferenceSource& source, ns3::InferenceDropReason reason)
    {
        std::ostringstream text;
        text << source << "!" << reason << "@";
        Note(text.str());
    }

    std::string m_log; //!< Log of the events
};

/**
 * @ingroup defiance-tests
 * @brief Create a queue whose service takes 10 ms.
 * @param workers number of workers
 * @param bufferSize number of jobs that may wait
 * @param policy policy for a full buffer
 * @return the queue
 */
inline ns3::Ptr<ns3::InferenceQueue>
MakeTenMsQueue(uint32_t workers, uint32_t bufferSize = 100, const std::string& policy = "BLOCK")
{
    return ns3::CreateObjectWithAttributes<ns3::InferenceQueue>(
        "Workers",
        ns3::UintegerValue(workers),
        "ServiceTime",
        ns3::StringValue("ns3::ConstantRandomVariable[Constant=0.01]"),
        "BufferSize",
        ns3::UintegerValue(bufferSize),
        "FullBufferPolicy",
        ns3::StringValue(policy));
}

/**
 * @ingroup defiance-tests
 * @brief Agents that decide on each observation, and a log of their decisions.
 *
 * There is one word each, with the time in milliseconds: "0:see3+2@7" when agent_0 requests an
 * action with observation 3 and reward 2, "0:act@9" when it receives the action.
 */
class AgentWorld
{
  public:
    /**
     * @brief Create agents from agent_0 on with their peers.
     * @param agentCount number of agents
     * @param queue their inference queue
     */
    AgentWorld(uint32_t agentCount, ns3::Ptr<ns3::InferenceQueue> queue)
        : observer(InstallOnNewNode<ManualObservation>({ns3::OBSERVATION, 0})),
          rewarder(InstallOnNewNode<ManualReward>({ns3::REWARD, 0})),
          action(InstallOnNewNode<RecordingAction>({ns3::ACTION, 0}))
    {
        for (uint32_t id = 0; id < agentCount; ++id)
        {
            const auto agent = InstallOnNewNode<RecordingAgent>({ns3::AGENT, id});
            agent->isInferringAtOnce = true;
            agent->SetAttribute("InferenceQueue", ns3::PointerValue(queue));
            const auto name = std::to_string(id);
            agent->TraceConnect("Inference", name, ns3::MakeCallback(&AgentWorld::NoteAsk, this));
            agent->TraceConnect("Action", name, ns3::MakeCallback(&AgentWorld::NoteAct, this));
            Link(observer, agent);
            Link(rewarder, agent);
            Link(agent, action);
            agents.push_back(agent);
        }
    }

    AgentWorld(const AgentWorld&) = delete;
    AgentWorld& operator=(const AgentWorld&) = delete;

    /**
     * @brief Send an observation to all agents.
     * @param ms the time, in milliseconds
     * @param value the observation
     */
    void Observe(int64_t ms, int32_t value)
    {
        At(ns3::MilliSeconds(ms), [=, this] { observer->Send(MakeNumberMessage(value)); });
    }

    /**
     * @brief Send a reward to all agents.
     * @param ms the time, in milliseconds
     * @param value the reward
     */
    void Reward(int64_t ms, int32_t value)
    {
        At(ns3::MilliSeconds(ms), [=, this] { rewarder->Send(MakeNumberMessage(value)); });
    }

    /**
     * @brief Run the simulation without destroying it.
     * @param ms end of the simulation, in milliseconds
     * @return the log
     */
    std::string Run(int64_t ms)
    {
        ns3::Simulator::Stop(ns3::MilliSeconds(ms));
        ns3::Simulator::Run();
        return m_log;
    }

    std::vector<ns3::Ptr<RecordingAgent>> agents; //!< The agents
    ns3::Ptr<ManualObservation> observer;         //!< Application of their observations
    ns3::Ptr<ManualReward> rewarder;              //!< Application of their rewards
    ns3::Ptr<RecordingAction> action;             //!< Application of their actions

  private:
    /**
     * @brief Write into the log.
     * @param what the current event
     */
    void Note(const std::string& what)
    {
        m_log += (m_log.empty() ? "" : " ") + what + "@" +
                 std::to_string(ns3::Simulator::Now().GetMilliSeconds());
    }

    /**
     * @brief Note the request of an agent.
     * @param agent its number
     * @param observation the observation
     * @param reward the reward
     */
    void NoteAsk(std::string agent,
                 ns3::Ptr<const ns3::OpenGymDataContainer> observation,
                 double reward)
    {
        const auto box = ns3::DynamicCast<const ns3::OpenGymBoxContainer<int32_t>>(observation);
        Note(agent + ":see" + std::to_string(box->GetValue(0)) + "+" +
             std::to_string(static_cast<int>(reward)));
    }

    /**
     * @brief Note the action of an agent.
     * @param agent its number
     * @param action the action
     */
    void NoteAct(std::string agent, ns3::Ptr<const ns3::OpenGymDataContainer> action)
    {
        Note(agent + ":act");
    }

    std::string m_log; //!< Log of the events
};

#endif /* INFERENCE_TEST_SUPPORT_H */
