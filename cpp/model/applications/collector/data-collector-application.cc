// SPDX-License-Identifier: GPL-2.0-only

#include "data-collector-application.h"

#include "observation-application.h"
#include "reward-application.h"

#include "ns3/abort.h"
#include "ns3/object-type.h"

namespace ns3
{

DEFIANCE_OBJECT(DataCollectorApplication, RlApplication);
DEFIANCE_OBJECT(ObservationApplication, DataCollectorApplication);
DEFIANCE_OBJECT(RewardApplication, DataCollectorApplication);

void
DataCollectorApplication::Setup()
{
    const auto isFirst = !IsSetUp();
    RlApplication::Setup();
    if (isFirst)
    {
        RegisterCallbacks();
    }
}

void
DataCollectorApplication::UnregisterCallbacks()
{
    NS_ABORT_MSG(GetInstanceTypeId().GetName()
                 << " " << GetId()
                 << " cannot move: override UnregisterCallbacks() to disconnect what "
                    "RegisterCallbacks() connected");
}

void
DataCollectorApplication::OnMoving()
{
    RlApplication::OnMoving();
    if (IsSetUp())
    {
        UnregisterCallbacks();
    }
}

void
DataCollectorApplication::OnMoved()
{
    RlApplication::OnMoved();
    if (IsSetUp())
    {
        RegisterCallbacks();
    }
}

} // namespace ns3
