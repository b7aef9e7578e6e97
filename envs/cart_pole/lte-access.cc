// SPDX-License-Identifier: GPL-2.0-only

#include "lte-access.h"

#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/**
 * @param carts Number of carts.
 * @return the shortest period in ms in which each has a subframe of its own for its sounding
 * signal, without which the cell does not know how well it hears them
 */
uint32_t
GetSoundingPeriod(uint32_t carts)
{
    uint32_t period = 10;
    while (period < carts)
    {
        period *= 2; // 10 to 320, as TS 36.213 has them
    }
    return period;
}

} // namespace

LteAccess::LteAccess(const CartPoleParameters& parameters,
                     const NodeContainer& carts,
                     const NodeContainer& agents)
    : m_core(CreateObject<PointToPointEpcHelper>()),
      m_radio(CreateObject<LteHelper>())
{
    m_radio->SetEpcHelper(m_core);
    const NodeContainer cell(1);
    auto stream = FIRST_STREAM;
    stream += InstallInternet(NodeContainer(carts, agents), stream);
    Place(cell.Get(0), carts, parameters.distance);
    stream += BuildCell(carts, cell.Get(0), stream);
    BuildBackhaul(parameters, m_core->GetPgwNode(), agents, stream);
}

int64_t
LteAccess::BuildCell(const NodeContainer& carts, Ptr<Node> cell, int64_t stream)
{
    const auto baseStation = m_radio->InstallEnbDevice(cell).Get(0);
    const auto devices = m_radio->InstallUeDevice(carts);
    DynamicCast<LteEnbNetDevice>(baseStation)
        ->GetRrc()
        ->SetAttribute("SrsPeriodicity", UintegerValue(GetSoundingPeriod(carts.GetN())));
    const auto interfaces = m_core->AssignUeIpv4Address(devices);
    for (uint32_t i = 0; i < carts.GetN(); i++)
    {
        const auto [ipv4, index] = interfaces.Get(i);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(
            m_core->GetUeDefaultGatewayAddress(),
            index);
        m_radio->Attach(devices.Get(i), baseStation);
        ExpectAttachment(i);
        DynamicCast<LteUeNetDevice>(devices.Get(i))
            ->GetRrc()
            ->TraceConnectWithoutContext(
                "DrbCreated",
                Callback<void, uint64_t, uint16_t, uint16_t, uint8_t>(
                    [this, i](uint64_t, uint16_t, uint16_t, uint8_t) { NotifyAttached(i); }));
    }
    return m_radio->AssignStreams(NetDeviceContainer(NetDeviceContainer(baseStation), devices),
                                  stream);
}

} // namespace ns3
