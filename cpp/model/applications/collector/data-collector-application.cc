// SPDX-License-Identifier: GPL-2.0-only

#include "data-collector-application.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DataCollectorApplication);

TypeId
DataCollectorApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DataCollectorApplication").SetParent<RlApplication>().SetGroupName("defiance");
    return tid;
}

DataCollectorApplication::~DataCollectorApplication() = default;

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

void
DataCollectorApplication::Send(Ptr<OpenGymDictContainer> data,
                               std::optional<uint32_t> remoteAppId,
                               std::optional<uint32_t> interfaceId)
{
    SendTo(data, ApplicationType::AGENT, remoteAppId, interfaceId);
}

} // namespace ns3
