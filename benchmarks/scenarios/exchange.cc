// SPDX-License-Identifier: GPL-2.0-only

// The bare exchange: agents decide at each simulated millisecond, without a simulated network.

#include "exchange-agents.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    ExchangeParameters parameters;
    RlSimulation simulation("exchange");
    parameters.Declare(simulation);
    simulation.Parse(argc, argv);
    return RunExchange(simulation, parameters);
}
