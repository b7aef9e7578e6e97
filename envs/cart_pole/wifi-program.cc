// SPDX-License-Identifier: GPL-2.0-only

// The scenario over a network of kind wifi.

#include "scenario.h"
#include "wifi-access.h"

int
main(int argc, char* argv[])
{
    return ns3::RunCartPole(argc, argv, {{"wifi", ns3::MakeAccessFactory<ns3::WifiAccess>()}});
}
