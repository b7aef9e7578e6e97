// SPDX-License-Identifier: GPL-2.0-only

// A scenario that has a thread before it reads its command line.

#include "ns3/core-module.h"
#include "ns3/defiance-module.h"

#include <thread>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::jthread thread([](const std::stop_token& stop) {
        while (!stop.stop_requested())
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    RlSimulation simulation("threaded");
    simulation.Parse(argc, argv);
    const auto interface = OpenGymMultiAgentInterface::Get();
    for (const auto& set : {&OpenGymMultiAgentInterface::SetGetObservationSpaceCb,
                            &OpenGymMultiAgentInterface::SetGetActionSpaceCb})
    {
        (PeekPointer(interface)->*set)("agent_0", Callback<Ptr<OpenGymSpace>>([] {
                                           return Ptr<OpenGymSpace>(MakeDiscreteSpace(2));
                                       }));
    }
    return simulation.Run(Time(0));
}
