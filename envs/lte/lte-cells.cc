// SPDX-License-Identifier: GPL-2.0-only

#include "lte-cells.h"

#include "correlated-shadowing.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simulator.h"
#include "ns3/spectrum-channel.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

const Time LONGEST_WAIT = Seconds(60); // who is not connected by then will never be
constexpr double LIGHT = 299792458;    // in m/s
const DataRate BACKHAUL_RATE("10Gbps");
constexpr uint16_t BACKHAUL_MTU = 2000;           // room for the headers of tunnels
const Ipv4Address BACKHAUL_ADDRESSES("21.0.0.0"); // ns-3's own are those of access networks
constexpr int64_t PLACES = 100000;    // first streams of places, shadowing and devices, behind
constexpr int64_t SHADOWING = 110000; // those of access networks
constexpr int64_t DEVICES = 120000;

} // namespace

LteCells::LteCells(const LteParameters& parameters, uint32_t cells, uint32_t users, bool atHome)
    : m_parameters(parameters),
      m_atHome(atHome),
      m_core(CreateObject<NoBackhaulEpcHelper>()),
      m_radio(CreateObject<LteHelper>()),
      m_cellNodes(cells),
      m_userNodes(users),
      m_detached(users)
{
    m_radio->SetAttribute("UsePdschForCqiGeneration", BooleanValue(false));
    m_radio->SetEpcHelper(m_core);
    m_radio->SetHandoverAlgorithmType(m_parameters.algorithm);
    PlaceCells();
    PlaceUsers();
    BuildChannel();
    InstallDevices();
    Connect();
    m_traffic.emplace(m_core->GetPgwNode(), m_userNodes, m_parameters.demand);
}

void
LteCells::PlaceCells()
{
    const auto cells = m_cellNodes.GetN();
    const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(cells)));
    const double spacing = m_parameters.spacing;
    const auto positions = CreateObject<ListPositionAllocator>();
    for (uint32_t cell = 0; cell < cells; cell++)
    {
        const auto row = cell / columns;
        const double shift = row % 2 == 1 ? 0.5 : 0;
        positions->Add(
            Vector((cell % columns + shift) * spacing, row * spacing * std::numbers::sqrt3 / 2, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(m_cellNodes);
}

UserRegion
LteCells::GetWholeRegion() const
{
    Vector centre;
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        const auto position = GetCellPosition(cell);
        centre = centre + Vector(position.x / CountCells(), position.y / CountCells(), 0);
    }
    double radius = 0;
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        radius = std::max(radius, CalculateDistance(centre, GetCellPosition(cell)));
    }
    return {.centre = centre, .radius = radius + m_parameters.spacing / 2, .inner = 0};
}

void
LteCells::PlaceUsers()
{
    for (uint32_t user = 0; user < m_userNodes.GetN(); user++)
    {
        const auto walk = CreateObject<UserWalk>();
        const auto node = m_userNodes.Get(user);
        const auto home = GetCellPosition(user % CountCells());
        if (m_parameters.userDistance > 0)
        {
            walk->Place(node, home + Vector(m_parameters.userDistance, 0, 0));
        }
        else if (m_atHome)
        {
            // As far as a corner between three cells.
            walk->Place(node,
                        {.centre = home,
                         .radius = m_parameters.spacing / std::numbers::sqrt3,
                         .inner = LteParameters::LEAST_DISTANCE},
                        PLACES + user);
        }
        else
        {
            walk->Place(node, GetWholeRegion(), PLACES + user);
        }
        m_walks.push_back(walk);
    }
}

void
LteCells::BuildChannel()
{
    if (m_parameters.pathLossExponent == 2)
    {
        m_radio->SetPathlossModelType(FriisPropagationLossModel::GetTypeId());
        return;
    }
    const double reference =
        20 * std::log10(4 * std::numbers::pi * LteParameters::FREQUENCY / LIGHT);
    m_radio->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
    m_radio->SetPathlossModelAttribute("Exponent", DoubleValue(m_parameters.pathLossExponent));
    m_radio->SetPathlossModelAttribute("ReferenceLoss", DoubleValue(reference));
}

void
LteCells::AddShadowing()
{
    const auto shadowing = CreateObject<CorrelatedShadowing>();
    for (uint32_t cell = 0; cell < CountCells(); cell++)
    {
        shadowing->AddCell(m_cellNodes.Get(cell)->GetObject<MobilityModel>(),
                           m_parameters.shadowing,
                           LteParameters::SHADOWING_DISTANCE,
                           SHADOWING + 2 * cell);
    }
    m_radio->GetDownlinkSpectrumChannel()->AddPropagationLossModel(shadowing);
}

void
LteCells::InstallDevices()
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
    if (m_parameters.shadowing > 0)
    {
        AddShadowing();
    }
    if (m_parameters.handover)
    {
        m_radio->AddX2Interface(m_cellNodes);
    }
    m_radio->AssignStreams(NetDeviceContainer(m_cells, m_users), DEVICES);
}

void
LteCells::LinkCore()
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
LteCells::Connect()
{
    InternetStackHelper().Install(m_userNodes);
    m_core->AssignUeIpv4Address(m_users);
    for (uint32_t user = 0; user < CountUsers(); user++)
    {
        const auto cell = m_atHome ? user % CountCells() : FindBestCell(user);
        m_firstCells.push_back(cell);
        m_radio->Attach(m_users.Get(user), m_cells.Get(cell));
        GetUser(user)->GetRrc()->TraceConnectWithoutContext(
            "ConnectionEstablished",
            Callback<void, uint64_t, uint16_t, uint16_t>([this](uint64_t, uint16_t, uint16_t) {
                // A user may lose its cell later, and find another one.
                if (m_detached > 0 && --m_detached == 0)
                {
                    Simulator::Stop();
                }
            }));
    }
}

uint32_t
LteCells::FindBestCell(uint32_t user) const
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

void
LteCells::AwaitConnection(Time interval)
{
    const auto limit = Simulator::Stop(LONGEST_WAIT);
    Simulator::Run();
    NS_ABORT_MSG_UNLESS(m_detached == 0,
                        m_detached << " users are not connected after "
                                   << LONGEST_WAIT.As(Time::S));
    Simulator::Cancel(limit);
    const auto now = Simulator::Now();
    Simulator::Stop(interval * (Div(now, interval) + 1) - now);
    Simulator::Run();
}

void
LteCells::Start()
{
    m_traffic->Start();
    for (const auto& walk : m_walks)
    {
        if (m_parameters.movement == "walk")
        {
            walk->Walk(m_parameters.speed);
        }
        else if (m_parameters.movement == "away")
        {
            walk->Go(Vector(m_parameters.speed, 0, 0));
        }
    }
}

const NodeContainer&
LteCells::GetNodes() const
{
    return m_cellNodes;
}

uint32_t
LteCells::CountCells() const
{
    return m_cellNodes.GetN();
}

uint32_t
LteCells::CountUsers() const
{
    return m_userNodes.GetN();
}

Ptr<LteEnbNetDevice>
LteCells::GetCell(uint32_t cell) const
{
    return DynamicCast<LteEnbNetDevice>(m_cells.Get(cell));
}

Ptr<LteUeNetDevice>
LteCells::GetUser(uint32_t user) const
{
    return DynamicCast<LteUeNetDevice>(m_users.Get(user));
}

Vector
LteCells::GetCellPosition(uint32_t cell) const
{
    return m_cellNodes.Get(cell)->GetObject<MobilityModel>()->GetPosition();
}

Vector
LteCells::GetUserPosition(uint32_t user) const
{
    return m_userNodes.Get(user)->GetObject<MobilityModel>()->GetPosition();
}

uint64_t
LteCells::GetReceivedBytes(uint32_t user) const
{
    return m_traffic->GetReceivedBytes(user);
}

uint32_t
LteCells::GetFirstCell(uint32_t user) const
{
    return m_firstCells[user];
}

std::optional<uint32_t>
LteCells::FindCell(uint16_t cellId) const
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

} // namespace ns3
