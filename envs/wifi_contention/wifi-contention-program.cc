// SPDX-License-Identifier: GPL-2.0-only

// Stations contend for a Wi-Fi channel, and agents choose their contention windows; see card.md.

#include "environment-program.h"
#include "wifi-contention-environment.h"

int
main(int argc, char* argv[])
{
    ns3::WifiContentionEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
