// SPDX-License-Identifier: GPL-2.0-only

// TCP flows that share bottlenecks, with agents as their congestion control; see card.md.

#include "environment-program.h"
#include "tcp-congestion-environment.h"

int
main(int argc, char* argv[])
{
    ns3::TcpCongestionEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
