// SPDX-License-Identifier: GPL-2.0-only

#include "environment-program.h"

#include "deployment.h"

#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
WarmUpAccess(RlSimulation& simulation, const DeploymentOptions& options)
{
    for (const auto& [access, factory] : AccessRegistration::GetAll())
    {
        const auto& offered = options.accesses;
        if (std::find(offered.begin(), offered.end(), access) != offered.end())
        {
            simulation.AddWarmUp([&factory] {
                DeploymentParameters parameters;
                parameters.devices = 2;
                factory(parameters, NodeContainer(2), NodeContainer(2));
            });
        }
    }
}

void
RequireConsistency(RlSimulation& simulation, Environment& environment)
{
    const auto contradiction = environment.Check();
    if (!contradiction.empty())
    {
        simulation.Refuse(contradiction);
    }
    const auto& access = environment.GetDeployment().access;
    if (!environment.FindAccess(access))
    {
        simulation.Refuse("this program lacks the models for access=" + access +
                          "; use the scenario's program that has them");
    }
}

int
RunEnvironment(int argc, char* argv[], Environment& environment)
{
    const auto& parameters = environment.GetDeployment();
    RlSimulation simulation(parameters.GetOptions().scenario);
    environment.DeclareAll(simulation);
    WarmUpAccess(simulation, parameters.GetOptions());
    simulation.Parse(argc, argv);
    RequireConsistency(simulation, environment);
    Deployment deployment(environment);
    return simulation.Run(Simulator::Now() + parameters.duration);
}

} // namespace ns3
