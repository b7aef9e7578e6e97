// SPDX-License-Identifier: GPL-2.0-only

#include "radio-access.h"

#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-helper.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/uinteger.h"

namespace ns3
{

/**
 * @brief One LTE cell, to which all devices are connected; the gateway is its core network's.
 */
class LteAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    LteAccess(const DeploymentParameters& parameters,
              const NodeContainer& devices,
              const NodeContainer& agents);

  private:
    /**
     * Connect the devices with the cell.
     *
     * @param devices Nodes of devices.
     * @param cell Node of the base station.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    int64_t BuildCell(const NodeContainer& devices, Ptr<Node> cell, int64_t stream);

    Ptr<PointToPointEpcHelper> m_core; //!< Builds the core network
    Ptr<LteHelper> m_radio;            //!< Builds the cell
};

namespace
{

const AccessRegistration g_lte("lte", MakeAccessFactory<LteAccess>());

/**
 * @param devices Number of devices.
 * @return the shortest period in ms in which each device has its own subframe for its sounding
 * signal, by which the cell measures the reception of devices
 */
uint32_t
GetSoundingPeriod(uint32_t devices)
{
    uint32_t period = 10;
    while (period < devices)
    {
        period *= 2; // 10 to 320, as in TS 36.213
    }
    return period;
}

} // namespace

LteAccess::LteAccess(const DeploymentParameters& parameters,
                     const NodeContainer& devices,
                     const NodeContainer& agents)
    : m_core(CreateObject<PointToPointEpcHelper>()),
      m_radio(CreateObject<LteHelper>())
{
    m_radio->SetEpcHelper(m_core);
    const NodeContainer cell(1);
    auto stream = FIRST_STREAM;
    stream += InstallInternet(NodeContainer(devices, agents), stream);
    Place(cell.Get(0), devices, parameters.distance);
    stream += BuildCell(devices, cell.Get(0), stream);
    BuildBackhaul(parameters, m_core->GetPgwNode(), agents, stream);
}

int64_t
LteAccess::BuildCell(const NodeContainer& devices, Ptr<Node> cell, int64_t stream)
{
    const auto baseStation = m_radio->InstallEnbDevice(cell).Get(0);
    const auto netDevices = m_radio->InstallUeDevice(devices);
    DynamicCast<LteEnbNetDevice>(baseStation)
        ->GetRrc()
        ->SetAttribute("SrsPeriodicity", UintegerValue(GetSoundingPeriod(devices.GetN())));
    const auto interfaces = m_core->AssignUeIpv4Address(netDevices);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        m_deviceAddresses.emplace_back(interfaces.GetAddress(i));
        RouteToAgents(interfaces.Get(i), m_core->GetUeDefaultGatewayAddress());
        m_radio->Attach(netDevices.Get(i), baseStation);
        ExpectAttachment(i);
        DynamicCast<LteUeNetDevice>(netDevices.Get(i))
            ->GetRrc()
            ->TraceConnectWithoutContext(
                "DrbCreated",
                Callback<void, uint64_t, uint16_t, uint16_t, uint8_t>(
                    [this, i](uint64_t, uint16_t, uint16_t, uint8_t) { NotifyAttached(i); }));
    }
    return m_radio->AssignStreams(NetDeviceContainer(NetDeviceContainer(baseStation), netDevices),
                                  stream);
}

} // namespace ns3
