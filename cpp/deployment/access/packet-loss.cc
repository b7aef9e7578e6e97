// SPDX-License-Identifier: GPL-2.0-only

#include "packet-loss.h"

#include "ns3/pointer.h"

namespace ns3
{

void
PacketLoss::Install(const NetDeviceContainer& devices)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(m_probability);
        devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(model));
        m_models.push_back(model);
    }
}

void
PacketLoss::AssignStreams(int64_t stream)
{
    for (const auto& model : m_models)
    {
        stream += model->AssignStreams(stream);
    }
}

} // namespace ns3
