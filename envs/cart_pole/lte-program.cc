// SPDX-License-Identifier: GPL-2.0-only

// The scenario over a network of kind lte.

#include "lte-access.h"
#include "scenario.h"

int
main(int argc, char* argv[])
{
    return ns3::RunCartPole(argc, argv, {{"lte", ns3::MakeAccessFactory<ns3::LteAccess>()}});
}
