// SPDX-License-Identifier: GPL-2.0-only

#include "action-application.h"

#include "ns3/object-type.h"

namespace ns3
{

DEFIANCE_OBJECT(ActionApplication, RlApplication);

} // namespace ns3
