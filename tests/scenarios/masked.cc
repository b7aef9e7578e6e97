// SPDX-License-Identifier: GPL-2.0-only

// An agent with only one allowed action at each instant. The mask is in its observation, next to
// the other parts, or in its infos. Allowed actions are rewarded; the first forbidden action ends
// the episode.

#include "ns3/core-module.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"

using namespace ns3;

namespace
{

const uint32_t ACTIONS = 5;
const int64_t FIRST = -2; // of the actions

class Obedient : public SimpleRefCount<Obedient>
{
  public:
    explicit Obedient(bool inInfos)
        : m_inInfos(inInfos)
    {
    }

    void Join()
    {
        auto interface = OpenGymMultiAgentInterface::Get();
        interface->SetGetObservationSpaceCb(
            "agent_0",
            Callback<Ptr<OpenGymSpace>>([this]() -> Ptr<OpenGymSpace> {
                auto count = MakeBoxSpace<float>(1, 0, 1e9);
                auto mask = MakeBoxSpace<int8_t>(ACTIONS, 0, 1);
                if (m_inInfos)
                {
                    return count;
                }
                return MakeDictSpace("action_mask", mask, "observation", count);
            }));
        interface->SetGetActionSpaceCb("agent_0", Callback<Ptr<OpenGymSpace>>([]() {
                                           return Ptr<OpenGymSpace>(
                                               MakeDiscreteSpace(ACTIONS, FIRST));
                                       }));
        Simulator::ScheduleNow(&Obedient::Ask, this);
    }

  private:
    void Ask()
    {
        std::vector<int8_t> allowed(ACTIONS, 0);
        allowed[m_count % ACTIONS] = 1;
        auto mask = MakeBoxContainer(allowed);
        auto count = MakeBoxContainer<float>(1, m_count);
        OpenGymInfo infos;
        Ptr<OpenGymDataContainer> observation = count;
        if (m_inInfos)
        {
            infos["action_mask"] = mask;
        }
        else
        {
            observation = MakeDictContainer("action_mask", mask, "observation", count);
        }
        auto interface = OpenGymMultiAgentInterface::Get();
        if (m_disobeyed)
        {
            interface->NotifyAgentEnd("agent_0", observation, -1, true, infos);
            return;
        }
        interface->NotifyCurrentState("agent_0",
                                      observation,
                                      1,
                                      false,
                                      infos,
                                      Time(0),
                                      MakeCallback(&Obedient::Act, this));
    }

    void Act(Ptr<OpenGymDataContainer> action)
    {
        const auto value = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        m_disobeyed = value != FIRST + m_count % ACTIONS;
        m_count++;
        Simulator::Schedule(MilliSeconds(10), &Obedient::Ask, this);
    }

    bool m_inInfos;
    bool m_disobeyed{false};
    int64_t m_count{0};
};

} // namespace

int
main(int argc, char* argv[])
{
    bool inInfos = false;
    Time duration = MilliSeconds(200);
    RlSimulation simulation("masked");
    simulation.AddValue("mask_in_infos", "Place of the mask.", inInfos);
    simulation.AddValue("duration", "Simulated time.", duration, Time(0), Hours(1));
    simulation.Parse(argc, argv);
    auto agent = Create<Obedient>(inInfos);
    agent->Join();
    return simulation.Run(duration);
}
