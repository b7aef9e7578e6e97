// SPDX-License-Identifier: GPL-2.0-only

// Wi-Fi stations whose rates agents choose; see card.md.

#include "environment-program.h"
#include "wifi-rate-control-environment.h"

int
main(int argc, char* argv[])
{
    ns3::WifiRateControlEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
