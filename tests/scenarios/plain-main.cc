// SPDX-License-Identifier: GPL-2.0-only

// A scenario without RlSimulation: plain CommandLine, plain Simulator.

#include "ns3/core-module.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"

using namespace ns3;

namespace
{
uint32_t g_steps = 5;
uint32_t g_step = 0;
Ptr<UniformRandomVariable> g_random;

void Act(Ptr<OpenGymDataContainer> action);

void
Ask()
{
    OpenGymMultiAgentInterface::Get()->NotifyCurrentState(
        "agent_0",
        MakeBoxContainer<float>(2, g_step, g_random->GetValue()),
        g_step,
        false,
        {},
        MilliSeconds(1),
        MakeCallback(&Act));
}

void
Act(Ptr<OpenGymDataContainer>)
{
    g_step++;
    if (g_step < g_steps)
    {
        Simulator::Schedule(MilliSeconds(9), &Ask);
    }
}

Ptr<OpenGymSpace>
ObservationSpace()
{
    return MakeBoxSpace<float>(2, 0, 100);
}

Ptr<OpenGymSpace>
ActionSpace()
{
    return MakeDiscreteSpace(2);
}
} // namespace

int
main(int argc, char* argv[])
{
    CommandLine cmd(__FILE__);
    cmd.AddValue("steps", "Number of decisions", g_steps);
    cmd.Parse(argc, argv);
    g_random = CreateObject<UniformRandomVariable>();

    auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb("agent_0", MakeCallback(&ObservationSpace));
    interface->SetGetActionSpaceCb("agent_0", MakeCallback(&ActionSpace));
    Simulator::Schedule(MilliSeconds(1), &Ask);
    Simulator::Run();
    interface->NotifySimulationEnd(-100);
    Simulator::Destroy();
    return 0;
}
