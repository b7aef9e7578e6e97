// SPDX-License-Identifier: GPL-2.0-only

#include "action-application.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ActionApplication);

TypeId
ActionApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ActionApplication").SetParent<RlApplication>().SetGroupName("defiance");
    return tid;
}

ActionApplication::ActionApplication()
    : RlApplication(ApplicationType::ACTION)
{
}

ActionApplication::~ActionApplication() = default;

bool
ActionApplication::SupportsInterfacesTo(ApplicationType type) const
{
    return type == ApplicationType::AGENT;
}

void
ActionApplication::OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data)
{
    ExecuteAction(remoteId.applicationId, data);
}

} // namespace ns3
