// SPDX-License-Identifier: GPL-2.0-only

// An agent with valid observations until `after` steps; then one number is out of bounds, or the
// observation has another type or shape.

#include "ns3/core-module.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"

#include <limits>

using namespace ns3;

namespace
{

Ptr<OpenGymDataContainer>
Observe(const std::string& fault, uint32_t size, bool isDue)
{
    if (isDue && fault == "kind")
    {
        return MakeDictContainer("load", MakeDiscreteContainer(0));
    }
    const auto length = isDue && fault == "shape" ? size + 1 : size;
    std::vector<float> numbers(length, 0.5);
    if (isDue && fault == "bounds")
    {
        numbers.back() = -std::numeric_limits<float>::infinity();
    }
    return MakeDictContainer("load", MakeBoxContainer(numbers));
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string fault = "bounds";
    uint32_t size = 4;
    uint32_t after = 3;
    RlSimulation simulation("observations");
    simulation.AddChoice("fault", "Fault of the observation.", fault, {"bounds", "shape", "kind"});
    simulation.AddValue("size", "Numbers of an observation.", size, 1U, 100000U);
    simulation.AddValue("after", "Observations before the first wrong one.", after, 0U, 1000U);
    simulation.Parse(argc, argv);

    const auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb("agent_0", Callback<Ptr<OpenGymSpace>>([&] {
                                            return MakeDictSpace("load",
                                                                 MakeBoxSpace<float>(size, 0, 1));
                                        }));
    interface->SetGetActionSpaceCb("agent_0", Callback<Ptr<OpenGymSpace>>([] {
                                       return MakeDiscreteSpace(2);
                                   }));
    for (uint32_t step = 0; step < 200; ++step)
    {
        Simulator::Schedule(MilliSeconds(step), [&, step] {
            interface->RequestAction("agent_0", Observe(fault, size, step >= after), 0);
        });
    }
    return simulation.Run(Seconds(1));
}
