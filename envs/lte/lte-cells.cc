// SPDX-License-Identifier: GPL-2.0-only

#include "lte-cells.h"

#include "correlated-shadowing.h"

#include "ns3/abort.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/mobility-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

const Time LONGEST_WAIT = Seconds(60); // later connections are impossible
constexpr int64_t PLACES = 100000;     // first streams of places and shadowing, between those of
constexpr int64_t SHADOWING = 110000;  // access networks and of LteNetwork

} // namespace

LteCells::LteCells(const LteParameters& parameters, uint32_t cells, uint32_t users, bool atHome)
    : m_parameters(parameters),
      m_atHome(atHome),
      m_cellNodes(cells),
      m_userNodes(users),
      m_detached(users)
{
    PlaceCells();
    PlaceUsers();
    m_network.emplace(m_parameters, m_cellNodes, m_userNodes);
    if (m_parameters.shadowing > 0)
    {
        AddShadowing();
    }
    Connect();
    m_traffic.emplace(m_network->GetGateway(), m_userNodes, m_parameters.demand);
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
            // The distance of a corner between three cells.
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
    m_network->AddLoss(shadowing);
}

void
LteCells::Connect()
{
    for (uint32_t user = 0; user < CountUsers(); user++)
    {
        m_network->Attach(user, m_atHome ? user % CountCells() : m_network->FindBestCell(user));
        m_network->GetUser(user)->GetRrc()->TraceConnectWithoutContext(
            "ConnectionEstablished",
            Callback<void, uint64_t, uint16_t, uint16_t>([this](uint64_t, uint16_t, uint16_t) {
                // A user may lose its cell later, and find another cell.
                if (m_detached > 0 && --m_detached == 0)
                {
                    Simulator::Stop();
                }
            }));
    }
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

const LteNetwork&
LteCells::GetNetwork() const
{
    return *m_network;
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

Ptr<LteEnbPhy>
LteCells::GetCellPhy(uint32_t cell) const
{
    return m_network->GetCell(cell)->GetPhy();
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

} // namespace ns3
