// SPDX-License-Identifier: GPL-2.0-only

// Two agents; the first or both lack a connection.

#include "ns3/defiance-module.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string lacks = "nothing";
    bool both = false;
    RlSimulation simulation("unconnected");
    simulation.AddChoice("lacks",
                         "Missing connection of the first agent.",
                         lacks,
                         {"nothing", "observation", "action"});
    simulation.AddValue("both", "Whether the second agent lacks it as well.", both);
    simulation.Parse(argc, argv);

    NodeContainer nodes(2);
    RlApplicationHelper helper;
    CommunicationHelper communication;
    for (uint32_t i = 0; i < 2; ++i)
    {
        const auto node = nodes.Get(i);
        const auto observers =
            helper.Install<CallableObservationApplication>(node, MilliSeconds(10), [] {
                return MakeDictContainer("seen", MakeBoxContainer<float>(1, 1));
            });
        const auto actors =
            helper.Install<CallableActionApplication>(node, [](Ptr<OpenGymDataContainer>) {});
        const auto agents = helper.Install<CallableAgentApplication>(node,
                                                                     MakeBoxSpace<float>(1, 0, 1),
                                                                     MakeDiscreteSpace(2));
        communication.Add(agents);
        const bool isWhole = i > 0 && !both;
        if (isWhole || lacks != "observation")
        {
            communication.Connect(observers, agents);
        }
        if (isWhole || lacks != "action")
        {
            communication.Connect(actors, agents);
        }
    }
    communication.Configure();
    return simulation.Run(MilliSeconds(50));
}
