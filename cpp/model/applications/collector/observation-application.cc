// SPDX-License-Identifier: GPL-2.0-only

#include "observation-application.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ObservationApplication);

TypeId
ObservationApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ObservationApplication")
                            .SetParent<DataCollectorApplication>()
                            .SetGroupName("defiance");
    return tid;
}

ObservationApplication::ObservationApplication()
    : DataCollectorApplication(ApplicationType::OBSERVATION)
{
}

ObservationApplication::~ObservationApplication() = default;

} // namespace ns3
