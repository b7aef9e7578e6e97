// SPDX-License-Identifier: GPL-2.0-only

#include "lte-network.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/epc-x2-sap.h"
#include "ns3/epc-x2.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/object-map.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/spectrum-channel.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ns3
{

namespace
{

/**
 * @brief Filters the X2 messages to a cell: it drops messages about users that the cell no longer
 * knows.
 *
 * When a handover fails, the target forgets the user while packets for the user are still
 * forwarded, and the source may have forgotten it when the acknowledgement arrives. ns-3 aborts in
 * both cases.
 */
class X2Guard : public EpcX2SapUser
{
  public:
    /**
     * Replace the cell's receiver.
     *
     * @param node Node of the cell.
     * @param rrc RRC of the cell.
     */
    X2Guard(Ptr<Node> node, Ptr<LteEnbRrc> rrc)
        : m_rrc(rrc),
          m_receiver(rrc->GetEpcX2SapUser())
    {
        node->GetObject<EpcX2>()->SetEpcX2SapUser(this);
    }

    void RecvHandoverRequest(HandoverRequestParams params) override
    {
        m_receiver->RecvHandoverRequest(params);
    }

    void RecvHandoverRequestAck(HandoverRequestAckParams params) override
    {
        if (m_rrc->HasUeManager(params.oldEnbUeX2apId))
        {
            m_receiver->RecvHandoverRequestAck(params);
        }
    }

    void RecvHandoverPreparationFailure(HandoverPreparationFailureParams params) override
    {
        m_receiver->RecvHandoverPreparationFailure(params);
    }

    void RecvSnStatusTransfer(SnStatusTransferParams params) override
    {
        m_receiver->RecvSnStatusTransfer(params);
    }

    void RecvUeContextRelease(UeContextReleaseParams params) override
    {
        m_receiver->RecvUeContextRelease(params);
    }

    void RecvLoadInformation(LoadInformationParams params) override
    {
        m_receiver->RecvLoadInformation(params);
    }

    void RecvResourceStatusUpdate(ResourceStatusUpdateParams params) override
    {
        m_receiver->RecvResourceStatusUpdate(params);
    }

    void RecvUeData(UeDataParams params) override
    {
        if (Knows(params.gtpTeid))
        {
            m_receiver->RecvUeData(params);
        }
    }

    void RecvHandoverCancel(HandoverCancelParams params) override
    {
        m_receiver->RecvHandoverCancel(params);
    }

  private:
    /**
     * @param tunnel Number of a tunnel of the core network.
     * @return whether a user of the cell has this tunnel
     */
    bool Knows(uint32_t tunnel) const
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

    Ptr<LteEnbRrc> m_rrc;     //!< Radio resource control of the cell
    EpcX2SapUser* m_receiver; //!< X2 of the cell, which lives as long as the cell
};

constexpr std::array<uint32_t, 6> BANDWIDTHS{6, 15, 25, 50, 75, 100}; // in resource blocks
constexpr double LIGHT = 299792458;                                   // in m/s
const DataRate BACKHAUL_RATE("10Gbps");
constexpr uint16_t BACKHAUL_MTU = 2000;           // includes the headers of tunnels
const Ipv4Address BACKHAUL_ADDRESSES("21.0.0.0"); // access networks use ns-3's default
constexpr int64_t DEVICES = 120000; // first stream of devices, after those of access networks

} // namespace

std::string
LteNetworkParameters::FindContradiction() const
{
    const auto& there = BANDWIDTHS;
    if (std::find(there.begin(), there.end(), resourceBlocks) == there.end())
    {
        return "resource_blocks=" + std::to_string(resourceBlocks) +
               " is not an LTE bandwidth: choose 6, 15, 25, 50, 75 or 100";
    }
    return "";
}

LteNetwork::LteNetwork(const LteNetworkParameters& parameters,
                       const NodeContainer& cells,
                       const NodeContainer& users)
    : m_parameters(parameters),
      m_core(CreateObject<NoBackhaulEpcHelper>()),
      m_radio(CreateObject<LteHelper>()),
      m_cellNodes(cells),
      m_userNodes(users),
      m_firstCells(users.GetN())
{
    m_radio->SetAttribute("UsePdschForCqiGeneration", BooleanValue(false));
    m_radio->SetEpcHelper(m_core);
    m_radio->SetHandoverAlgorithmType(m_parameters.algorithm);
    m_radio->SetSchedulerType(m_parameters.scheduler);
    BuildChannel();
    InstallDevices();
    LinkUsers();
}

void
LteNetwork::BuildChannel()
{
    if (m_parameters.pathLossExponent == 2)
    {
        m_radio->SetPathlossModelType(FriisPropagationLossModel::GetTypeId());
        return;
    }
    const double reference =
        20 * std::log10(4 * std::numbers::pi * LteNetworkParameters::FREQUENCY / LIGHT);
    m_radio->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
    m_radio->SetPathlossModelAttribute("Exponent", DoubleValue(m_parameters.pathLossExponent));
    m_radio->SetPathlossModelAttribute("ReferenceLoss", DoubleValue(reference));
}

void
LteNetwork::InstallDevices()
{
    const UintegerValue bandwidth(m_parameters.resourceBlocks);
    m_radio->SetEnbDeviceAttribute("DlBandwidth", bandwidth);
    m_radio->SetEnbDeviceAttribute("UlBandwidth", bandwidth);
    m_cells = m_radio->InstallEnbDevice(m_cellNodes);
    m_users = m_radio->InstallUeDevice(m_userNodes);
    LinkCore();
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        GetCell(cell)->GetPhy()->SetTxPower(m_parameters.power);
    }
    for (uint32_t user = 0; user < CountUsers(); user++)
    {
        const auto phy = GetUser(user)->GetPhy();
        phy->SetAttribute("NoiseFigure", DoubleValue(m_parameters.noiseFigure));
        phy->SetAttribute("EnableRlfDetection", BooleanValue(m_parameters.handover));
    }
    if (m_parameters.handover)
    {
        LinkCells();
    }
    m_radio->AssignStreams(NetDeviceContainer(m_cells, m_users), DEVICES);
}

void
LteNetwork::LinkCore()
{
    PointToPointHelper links;
    links.SetDeviceAttribute("DataRate", DataRateValue(BACKHAUL_RATE));
    links.SetDeviceAttribute("Mtu", UintegerValue(BACKHAUL_MTU));
    Ipv4AddressHelper addresses(BACKHAUL_ADDRESSES, "255.255.255.252");
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        const auto node = m_cellNodes.Get(cell);
        const auto ends = addresses.Assign(links.Install(node, m_core->GetSgwNode()));
        addresses.NewNetwork();
        m_core->AddS1Interface(node,
                               ends.GetAddress(0),
                               ends.GetAddress(1),
                               {GetCell(cell)->GetCellId()});
    }
}

void
LteNetwork::LinkCells()
{
    m_radio->AddX2Interface(m_cellNodes);
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        m_guards.push_back(
            std::make_unique<X2Guard>(m_cellNodes.Get(cell), GetCell(cell)->GetRrc()));
    }
}

void
LteNetwork::LinkUsers()
{
    for (uint32_t user = 0; user < CountUsers(); user++)
    {
        const auto node = m_userNodes.Get(user);
        if (!node->GetObject<Ipv4>())
        {
            InternetStackHelper().Install(node);
        }
    }
    m_core->AssignUeIpv4Address(m_users);
    for (uint32_t user = 0; user < CountUsers(); user++)
    {
        const auto ipv4 = m_userNodes.Get(user)->GetObject<Ipv4>();
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(
            m_core->GetUeDefaultGatewayAddress(),
            ipv4->GetInterfaceForDevice(m_users.Get(user)));
    }
}

void
LteNetwork::AddBearer(uint32_t user, const EpsBearer& bearer, uint16_t port)
{
    EpcTft::PacketFilter filter;
    filter.localPortStart = port;
    filter.localPortEnd = port;
    const auto filters = Create<EpcTft>();
    filters->Add(filter);
    m_radio->ActivateDedicatedEpsBearer(m_users.Get(user), bearer, filters);
}

uint32_t
LteNetwork::FindBestCell(uint32_t user) const
{
    const auto loss = m_radio->GetDownlinkSpectrumChannel()->GetPropagationLossModel();
    const auto there = m_userNodes.Get(user)->GetObject<MobilityModel>();
    std::vector<double> powers;
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        powers.push_back(
            loss->CalcRxPower(0, m_cellNodes.Get(cell)->GetObject<MobilityModel>(), there));
    }
    return std::max_element(powers.begin(), powers.end()) - powers.begin();
}

std::optional<uint32_t>
LteNetwork::FindCell(uint16_t cellId) const
{
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        if (GetCell(cell)->GetCellId() == cellId)
        {
            return cell;
        }
    }
    return std::nullopt;
}

Ptr<LteEnbNetDevice>
LteNetwork::GetCell(uint32_t cell) const
{
    return DynamicCast<LteEnbNetDevice>(m_cells.Get(cell));
}

Ptr<LteUeNetDevice>
LteNetwork::GetUser(uint32_t user) const
{
    return DynamicCast<LteUeNetDevice>(m_users.Get(user));
}

} // namespace ns3
