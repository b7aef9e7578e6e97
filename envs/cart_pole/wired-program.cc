// SPDX-License-Identifier: GPL-2.0-only

// The scenario over nothing or over cables.

#include "csma-access.h"
#include "point-to-point-access.h"
#include "scenario.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return RunCartPole(argc,
                       argv,
                       {{"point-to-point", MakeAccessFactory<PointToPointAccess>()},
                        {"csma", MakeAccessFactory<CsmaAccess>()}});
}
