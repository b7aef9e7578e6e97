// SPDX-License-Identifier: GPL-2.0-only

#include "training-server-application.h"

#include "transfer-service.h"

#include "ns3/abort.h"
#include "ns3/object-type.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TrainingServerApplication);

TypeId
TrainingServerApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TrainingServerApplication, RlApplication>("ns3::TrainingServerApplication")
            .AddTraceSource("Transfer",
                            "A transfer has arrived: experience, or a model update.",
                            MakeTraceSourceAccessor(&TrainingServerApplication::m_transferTrace),
                            "ns3::TrainingServerApplication::TransferTracedCallback");
    return tid;
}

void
TrainingServerApplication::Setup()
{
    const auto isFirst = !IsSetUp();
    RlApplication::Setup();
    if (isFirst)
    {
        NS_ABORT_MSG_UNLESS(GetId().IsAssigned(),
                            "A training server has no id: call CommunicationHelper::SetIds() or "
                            "SetId() before it is set up");
        TransferService::Get()->Add(this);
    }
}

} // namespace ns3
