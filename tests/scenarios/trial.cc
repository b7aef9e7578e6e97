// SPDX-License-Identifier: GPL-2.0-only

// Real simulations without a network. Each case tests one situation that an environment must
// handle: agents that join late, leave early or never act, every kind of space, and faults.

#include "ns3/core-module.h"
#include "ns3/fatal-error.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"

#include <unistd.h>

#include <functional>
#include <iostream>
#include <limits>
#include <thread>

using namespace ns3;

namespace
{

// An agent that decides at a fixed interval, counts, and is rewarded with its count.
class Ticker : public SimpleRefCount<Ticker>
{
  public:
    Ticker(const std::string& name, Time interval, uint32_t size)
        : m_name(name),
          m_interval(interval),
          m_size(size)
    {
    }

    void Join(bool asks)
    {
        auto interface = OpenGymMultiAgentInterface::Get();
        interface->SetGetObservationSpaceCb(
            m_name,
            Callback<Ptr<OpenGymSpace>>(
                [this]() -> Ptr<OpenGymSpace> { return MakeBoxSpace<float>(m_size, 0, 1e9); }));
        interface->SetGetActionSpaceCb(m_name, Callback<Ptr<OpenGymSpace>>([]() {
                                           return Ptr<OpenGymSpace>(MakeDiscreteSpace(8));
                                       }));
        interface->SetFinalStateCb(m_name, Callback<OpenGymFinalState>([this]() {
                                       return OpenGymFinalState{Observe(), m_reward, Infos()};
                                   }));
        if (asks)
        {
            Simulator::ScheduleNow(&Ticker::Ask, this);
        }
    }

    void LeaveAfter(uint32_t decisions, bool terminated)
    {
        m_lastDecision = decisions;
        m_terminates = terminated;
    }

    std::function<void(uint32_t)> m_beforeAsking = [](uint32_t) {};

  private:
    void Ask()
    {
        m_beforeAsking(m_count);
        auto interface = OpenGymMultiAgentInterface::Get();
        if (m_count == m_lastDecision)
        {
            interface->NotifyAgentEnd(m_name, Observe(), m_reward, m_terminates, Infos());
            return;
        }
        const double reward = m_reward;
        m_reward = 0;
        interface->NotifyCurrentState(m_name,
                                      Observe(),
                                      reward,
                                      false,
                                      Infos(),
                                      Time(0),
                                      MakeCallback(&Ticker::Act, this));
    }

    void Act(Ptr<OpenGymDataContainer> action)
    {
        m_lastAction = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        m_count++;
        m_reward += m_count;
        Simulator::Schedule(m_interval, &Ticker::Ask, this);
    }

    Ptr<OpenGymDataContainer> Observe() const
    {
        return MakeBoxContainer(std::vector<float>(m_size, m_count));
    }

    OpenGymInfo Infos() const
    {
        return {{"count", static_cast<int64_t>(m_count)},
                {"half", m_count / 2.0},
                {"last_action", std::to_string(m_lastAction)},
                {"pair", MakeBoxContainer<double>(2, m_count, -1.0)}};
    }

    std::string m_name;
    Time m_interval;
    uint32_t m_size;
    uint32_t m_count{0};
    uint32_t m_lastDecision{std::numeric_limits<uint32_t>::max()};
    bool m_terminates{true};
    double m_reward{0};
    int64_t m_lastAction{-1};
};

const std::string KINDS[] =
    {"every", "discrete", "matrix", "multi_binary", "nested", "text", "wide"};

// An agent whose observation is its last action, in a space of one kind or of every kind.
class Echo : public SimpleRefCount<Echo>
{
  public:
    Echo(const std::string& name, const std::string& kind, uint32_t wide)
        : m_name(name)
    {
        const auto every = EveryKind(wide);
        m_space = kind == "every" ? Ptr<OpenGymSpace>(every) : every->Get(kind);
        if (DynamicCast<OpenGymDiscreteSpace>(m_space))
        {
            m_infos["action_mask"] = MakeBoxContainer<int8_t>(5, 1, 0, 1, 1, 1);
        }
        m_last = m_space->Constant(0);
    }

    void Join()
    {
        auto interface = OpenGymMultiAgentInterface::Get();
        auto space = [this]() -> Ptr<OpenGymSpace> { return m_space; };
        interface->SetGetObservationSpaceCb(m_name, Callback<Ptr<OpenGymSpace>>(space));
        interface->SetGetActionSpaceCb(m_name, Callback<Ptr<OpenGymSpace>>(space));
        Simulator::ScheduleNow(&Echo::Ask, this);
    }

  private:
    static Ptr<OpenGymDictSpace> EveryKind(uint32_t width)
    {
        auto matrix =
            OpenGymBoxSpace::Create<double>({-1, -2, -3, -4, -5, -6}, {1, 2, 3, 4, 5, 6}, {2, 3});
        auto wide =
            OpenGymBoxSpace::Create<uint64_t>({0}, {std::numeric_limits<uint64_t>::max()}, {width});
        auto scalar = OpenGymBoxSpace::Create<float>({-1}, {1}, {});
        auto multiDiscrete = CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{3, 4},
                                                                     std::vector<int64_t>{0, -2});
        auto multiBinary = CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 2});
        auto text = CreateObject<OpenGymTextSpace>(5, 1, "abc\xc3\xa9");
        return MakeDictSpace("discrete",
                             MakeDiscreteSpace(5, -2),
                             "matrix",
                             matrix,
                             "multi_binary",
                             multiBinary,
                             "nested",
                             MakeTupleSpace(MakeDictSpace("scalar", scalar), multiDiscrete),
                             "text",
                             text,
                             "wide",
                             wide);
    }

    void Ask()
    {
        OpenGymMultiAgentInterface::Get()->NotifyCurrentState(m_name,
                                                              m_last,
                                                              1.0,
                                                              false,
                                                              m_infos,
                                                              Time(0),
                                                              MakeCallback(&Echo::Act, this));
    }

    void Act(Ptr<OpenGymDataContainer> action)
    {
        m_last = action;
        Simulator::Schedule(MilliSeconds(1), &Echo::Ask, this);
    }

    std::string m_name;
    Ptr<OpenGymSpace> m_space;
    Ptr<OpenGymDataContainer> m_last;
    OpenGymInfo m_infos{{"pair", MakeBoxContainer<double>(2, 1, -1)}};
};

void
Fault(const std::string& what, uint32_t count)
{
    if (count != 3)
    {
        return;
    }
    if (what == "fatal")
    {
        NS_FATAL_ERROR("the tower fell over");
    }
    if (what == "loop")
    {
        while (getppid() >= 0)
        {
        }
    }
    if (what == "thread")
    {
        std::thread([] { pause(); }).detach();
    }
    if (what == "leave")
    {
        std::cerr << "leaving without a word of the end" << std::endl;
        std::_Exit(0);
    }
    if (what == "noise")
    {
        std::cerr << std::string(5'000'000, '.') << "the last words" << std::endl;
        std::cout << std::string(5'000'000, '-') << std::flush;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string scenario = "ticker";
    std::string space = "every";
    std::vector<std::string> kinds(std::begin(KINDS), std::end(KINDS));
    kinds.push_back("each");
    uint32_t agents = 1;
    uint32_t size = 4;
    uint32_t wide = 3;
    Time interval = MilliSeconds(10);
    Time duration = MilliSeconds(100);
    RlSimulation simulation("trial");
    simulation.AddChoice("scenario_case",
                         "Name of the case.",
                         scenario,
                         {"ticker",
                          "uneven",
                          "late",
                          "leaving",
                          "mute",
                          "empty",
                          "echo",
                          "fatal",
                          "loop",
                          "leave",
                          "noise",
                          "thread",
                          "exit_before_hello",
                          "loop_before_hello",
                          "refuse"});
    simulation.AddChoice("space",
                         "Kind of the spaces of echo; each: each agent has another one.",
                         space,
                         kinds);
    simulation.AddValue("agents", "Number of agents.", agents, 0U, 1000U);
    simulation.AddValue("wide", "Integers of 64 bits in an action of echo.", wide, 1U, 10'000'000U);
    simulation.AddValue("size", "Elements of an observation.", size, 1U, 10'000'000U);
    simulation.AddValue("interval", "Time between two decisions.", interval);
    simulation.AddValue("duration", "Simulated time.", duration, Time(0), Hours(1));
    simulation.Parse(argc, argv);

    std::vector<Ptr<Ticker>> tickers;
    for (uint32_t i = 0; i < agents; i++)
    {
        const Time each = scenario == "uneven" ? interval * (i + 1) : interval;
        tickers.push_back(Create<Ticker>("agent_" + std::to_string(i), each, size));
        tickers.back()->m_beforeAsking = [scenario](uint32_t count) { Fault(scenario, count); };
    }
    std::vector<Ptr<Echo>> echoes;
    if (scenario == "exit_before_hello")
    {
        std::cerr << "no licence found" << std::endl;
        std::exit(3);
    }
    if (scenario == "loop_before_hello")
    {
        Fault("loop", 3);
    }
    if (scenario == "refuse")
    {
        simulation.Refuse("agents and size do not go together");
    }
    if (scenario == "echo")
    {
        for (uint32_t i = 0; i < agents; i++)
        {
            const auto kind = space == "each" ? KINDS[i % std::size(KINDS)] : space;
            echoes.push_back(Create<Echo>("agent_" + std::to_string(i), kind, wide));
            echoes.back()->Join();
        }
    }
    else
    {
        for (uint32_t i = 0; i < agents; i++)
        {
            if (scenario == "late" && i > 0)
            {
                Simulator::Schedule(MilliSeconds(25) * i, &Ticker::Join, tickers[i], true);
            }
            else if (scenario != "empty")
            {
                tickers[i]->Join(scenario != "mute");
            }
            if (scenario == "leaving")
            {
                tickers[i]->LeaveAfter(2 * (i + 1), i % 2 == 0);
            }
        }
    }
    return simulation.Run(duration);
}
