// SPDX-License-Identifier: GPL-2.0-only

#include "x2-guard.h"

#include "ns3/epc-x2.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/node.h"
#include "ns3/object-map.h"

namespace ns3
{

X2Guard::X2Guard(Ptr<Node> node, Ptr<LteEnbRrc> rrc)
    : m_rrc(rrc),
      m_receiver(rrc->GetEpcX2SapUser())
{
    node->GetObject<EpcX2>()->SetEpcX2SapUser(this);
}

bool
X2Guard::Knows(uint32_t tunnel) const
{
    ObjectMapValue users;
    m_rrc->GetAttribute("UeMap", users);
    for (auto user = users.Begin(); user != users.End(); ++user)
    {
        ObjectMapValue bearers;
        user->second->GetAttribute("DataRadioBearerMap", bearers);
        for (auto bearer = bearers.Begin(); bearer != bearers.End(); ++bearer)
        {
            if (DynamicCast<LteDataRadioBearerInfo>(bearer->second)->m_gtpTeid == tunnel)
            {
                return true;
            }
        }
    }
    return false;
}

void
X2Guard::RecvHandoverRequest(HandoverRequestParams params)
{
    m_receiver->RecvHandoverRequest(params);
}

void
X2Guard::RecvHandoverRequestAck(HandoverRequestAckParams params)
{
    if (m_rrc->HasUeManager(params.oldEnbUeX2apId))
    {
        m_receiver->RecvHandoverRequestAck(params);
    }
}

void
X2Guard::RecvHandoverPreparationFailure(HandoverPreparationFailureParams params)
{
    m_receiver->RecvHandoverPreparationFailure(params);
}

void
X2Guard::RecvSnStatusTransfer(SnStatusTransferParams params)
{
    m_receiver->RecvSnStatusTransfer(params);
}

void
X2Guard::RecvUeContextRelease(UeContextReleaseParams params)
{
    m_receiver->RecvUeContextRelease(params);
}

void
X2Guard::RecvLoadInformation(LoadInformationParams params)
{
    m_receiver->RecvLoadInformation(params);
}

void
X2Guard::RecvResourceStatusUpdate(ResourceStatusUpdateParams params)
{
    m_receiver->RecvResourceStatusUpdate(params);
}

void
X2Guard::RecvUeData(UeDataParams params)
{
    if (Knows(params.gtpTeid))
    {
        m_receiver->RecvUeData(params);
    }
}

void
X2Guard::RecvHandoverCancel(HandoverCancelParams params)
{
    m_receiver->RecvHandoverCancel(params);
}

} // namespace ns3
