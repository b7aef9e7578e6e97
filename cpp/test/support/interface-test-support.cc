// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "opengym-codec.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <cstring>

using namespace ns3;

Ptr<OpenGymSpace>
GetWalkerObservations()
{
    return MakeBoxSpace<float>(1, -1000, 1000);
}

Ptr<OpenGymSpace>
GetWalkerActions()
{
    return MakeDiscreteSpace(3);
}

void
RunPlainly()
{
    Simulator::Run();
    OpenGymMultiAgentInterface::Get()->NotifySimulationEnd();
    Simulator::Destroy();
}

double
GetSum(const defiance::v1::DataContainer& observations, std::size_t row)
{
    float sum = -1;
    const auto& bytes = observations.box().data();
    if (bytes.size() >= (row + 1) * sizeof(sum))
    {
        std::memcpy(&sum, bytes.data() + row * sizeof(sum), sizeof(sum));
    }
    return sum;
}

Walker::Walker(std::string name, Time delay)
    : m_name(std::move(name)),
      m_delay(delay)
{
    auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb(m_name, MakeCallback(&GetWalkerObservations));
    interface->SetGetActionSpaceCb(m_name, MakeCallback(&GetWalkerActions));
}

void
Walker::ReportFinalState()
{
    OpenGymMultiAgentInterface::Get()->SetFinalStateCb(
        m_name,
        Callback<OpenGymFinalState>([this] {
            return OpenGymFinalState{See(), 100, {{"final", int64_t{1}}}};
        }));
}

void
Walker::Ask(bool isGameOver)
{
    OpenGymMultiAgentInterface::Get()->NotifyCurrentState(
        m_name,
        See(),
        ++m_requests,
        isGameOver,
        {{"acted_at_ms", m_actedAt.GetMilliSeconds()}},
        m_delay,
        MakeCallback(&Walker::Act, this));
}

void
Walker::AskAt(Time time)
{
    Simulator::Schedule(time, [this] { Ask(); });
}

Ptr<OpenGymDataContainer>
Walker::See() const
{
    return MakeBoxContainer<float>(1, m_sum);
}

void
Walker::Act(Ptr<OpenGymDataContainer> action)
{
    m_sum += DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
    m_actedAt = Simulator::Now();
}

InterfaceTestCase::InterfaceTestCase(const std::string& name)
    : TestCase(name)
{
}

void
InterfaceTestCase::DoTeardown()
{
    m_python.Close();
}

std::unique_ptr<ForkedSimulation>
InterfaceTestCase::Start(const std::function<void()>& simulation,
                         const std::map<std::string, std::string>& more)
{
    std::map<std::string, std::string> environment{{"DEFIANCE_ENDPOINT", m_python.GetEndpoint()},
                                                   {"DEFIANCE_TOKEN", "episode-7"}};
    environment.insert(more.begin(), more.end());
    return std::make_unique<ForkedSimulation>(
        [simulation] {
            simulation();
            return 0;
        },
        environment);
}

defiance::v1::StepRequest
InterfaceTestCase::ExpectRequest(uint64_t sequence, int64_t milliseconds, int agents)
{
    auto request = m_python.Receive().step_request();
    NS_TEST_EXPECT_MSG_EQ(request.sequence(), sequence, "Numbered in order");
    NS_TEST_EXPECT_MSG_EQ(request.sim_time_ns(), milliseconds * 1000000, "At this time");
    NS_TEST_EXPECT_MSG_EQ(request.steps_size(), 1, "Agents of equal spaces decide together");
    auto& steps = request.steps_size() > 0 ? *request.mutable_steps(0) : *request.add_steps();
    NS_TEST_EXPECT_MSG_EQ(steps.agents_size(), agents, "Number of agents in the request");
    // The following code may read that many, whatever was received.
    while (steps.agents_size() < agents)
    {
        steps.add_agents(0);
        steps.add_rewards(0);
    }
    return request;
}

defiance::v1::EpisodeEnd
InterfaceTestCase::ExpectEnd(int64_t milliseconds, int agents)
{
    const auto message = m_python.Receive();
    NS_TEST_EXPECT_MSG_EQ(message.has_episode_end(), true, message.ShortDebugString());
    auto end = message.episode_end();
    NS_TEST_EXPECT_MSG_EQ(end.sim_time_ns(), milliseconds * 1000000, "Time of the episode's end");
    NS_TEST_EXPECT_MSG_EQ(end.ended_size(), agents, "Number of agents that end");
    while (end.ended_size() < agents)
    {
        end.add_ended();
    }
    return end;
}

void
InterfaceTestCase::CheckEnd(const defiance::v1::AgentEnd& end,
                            uint32_t agent,
                            double sum,
                            double reward,
                            bool terminated)
{
    NS_TEST_EXPECT_MSG_EQ(end.agent(), agent, "The agent that ends");
    NS_TEST_EXPECT_MSG_EQ(GetSum(end.observation(), 0), sum, "Its last observation");
    NS_TEST_EXPECT_MSG_EQ(end.reward(), reward, "Its last reward");
    NS_TEST_EXPECT_MSG_EQ(end.terminated(), terminated, "Whether it terminated");
    NS_TEST_EXPECT_MSG_EQ(end.truncated(), !terminated, "or was truncated");
}

void
InterfaceTestCase::ExpectSuccess(ForkedSimulation& process)
{
    const auto end = process.Wait();
    NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits: " << end.errors);
    NS_TEST_EXPECT_MSG_EQ(end.status, 0, "Its exit status: " << end.errors);
}
