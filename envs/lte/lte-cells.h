// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_CELLS_H
#define LTE_CELLS_H

#include "lte-network.h"
#include "lte-parameters.h"
#include "user-traffic.h"
#include "user-walk.h"

#include "ns3/abort.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/position-allocator.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @brief Shadowing of signals from cells, which changes with a user's position, but not with time.
 *
 * For each cell it is a sum of waves of random direction and phase over the plane (Cai and
 * Giannakis, 2003): normal in dB, and almost uncorrelated at a few multiples of its distance.
 * Signals between two nodes that are not cells have no shadowing.
 */
class CorrelatedShadowing : public PropagationLossModel
{
  public:
    /**
     * Draw the shadowing of a cell.
     *
     * @param cell Position of the cell.
     * @param deviation Standard deviation in dB.
     * @param distance Distance of its changes, in m.
     * @param stream Random stream to use.
     */
    void AddCell(Ptr<MobilityModel> cell, double deviation, double distance, int64_t stream)
    {
        const auto normal = CreateObject<NormalRandomVariable>();
        const auto phase = CreateObject<UniformRandomVariable>();
        normal->SetStream(stream);
        phase->SetStream(stream + 1);
        Field field{.amplitude = deviation * std::sqrt(2. / WAVES), .waves = {}};
        for (auto& wave : field.waves)
        {
            // Normal wave numbers have a Gaussian correlation: exp(-1/2) at this distance.
            wave.x = normal->GetValue() / distance;
            wave.y = normal->GetValue() / distance;
            wave.phase = phase->GetValue(0, 2 * std::numbers::pi);
        }
        m_cells[cell] = {field, {}};
    }

  protected:
    void DoDispose() override
    {
        m_cells.clear();
        PropagationLossModel::DoDispose();
    }

  private:
    static constexpr std::size_t WAVES = 32; //!< Waves in a sum close to normal

    /// A wave over the plane.
    struct Wave
    {
        double x;     //!< Radians per metre along x
        double y;     //!< Radians per metre along y
        double phase; //!< Phase in radians
    };

    /// Shadowing of a cell.
    struct Field
    {
        double amplitude;              //!< Amplitude of each wave, in dB
        std::array<Wave, WAVES> waves; //!< Waves of the same amplitude
    };

    /// Loss at the last position of a user.
    struct Loss
    {
        Vector position; //!< Position of the last loss
        double loss;     //!< Loss at the position, in dB
    };

    /// A cell's shadowing, and its known values.
    struct Cell
    {
        Field field;                                   //!< Shadowing of the cell
        std::unordered_map<const void*, Loss> known{}; //!< Last loss of each user
    };

    double DoCalcRxPower(double power, Ptr<MobilityModel> a, Ptr<MobilityModel> b) const override
    {
        const auto found = m_cells.find(a);
        if (found == m_cells.end())
        {
            return power;
        }
        auto& [field, known] = found->second;
        const auto position = b->GetPosition();
        // Most users have not moved: signals arrive each subframe, and many users stand still.
        const auto [last, isNew] = known.try_emplace(PeekPointer(b));
        if (isNew || last->second.position != position)
        {
            last->second = {position, GetLoss(field, position)};
        }
        return power - last->second.loss;
    }

    int64_t DoAssignStreams(int64_t stream) override
    {
        return 0; // AddCell() sets the stream
    }

    /**
     * @param field Field of a cell.
     * @param position Position of a user.
     * @return the loss in dB
     */
    static double GetLoss(const Field& field, const Vector& position)
    {
        double sum = 0;
        for (const auto& wave : field.waves)
        {
            sum += std::cos(wave.x * position.x + wave.y * position.y + wave.phase);
        }
        return field.amplitude * sum;
    }

    mutable std::map<Ptr<MobilityModel>, Cell> m_cells; //!< Cells by mobility model
};

const Time LONGEST_WAIT = Seconds(60); // later connections are impossible
constexpr int64_t PLACES = 100000;     // first streams of places and shadowing, between those of
constexpr int64_t SHADOWING = 110000;  // access networks and of LteNetwork

class LteEnbPhy;

/**
 * @brief LTE cells on one carrier, a core network, and users to which it sends UDP packets at a
 * constant rate.
 *
 * Cells stand in rows. Every other row is shifted by half of the cells' distance, so that
 * neighbours in different rows have the same distance.
 */
class LteCells
{
  public:
    /**
     * Build the network. Nothing is sent before the simulator runs.
     *
     * @param parameters The properties of the cells.
     * @param cells Number of cells.
     * @param users Number of users.
     * @param atHome Whether users stay around cells, user i around cell i modulo `cells`, which
     * serves it. If not, users are anywhere, and the best received cell serves a user first.
     */
    LteCells(const LteParameters& parameters, uint32_t cells, uint32_t users, bool atHome)
        : m_parameters(parameters),
          m_atHome(atHome),
          m_cellNodes(cells),
          m_userNodes(users),
          m_walks(users),
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

    LteCells(const LteCells&) = delete;
    LteCells& operator=(const LteCells&) = delete;

    /**
     * Wait until all users are connected, and continue at a multiple of an interval.
     *
     * @param interval The interval.
     */
    void AwaitConnection(Time interval)
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

    /// Start the users' movement, and the packets to them.
    void Start()
    {
        m_traffic->Start();
        for (auto& walk : m_walks)
        {
            if (m_parameters.movement == "walk")
            {
                walk.Walk(m_parameters.speed);
            }
            else if (m_parameters.movement == "away")
            {
                walk.Go(Vector(m_parameters.speed, 0, 0));
            }
        }
    }

    /// @return devices of cells and users
    const LteNetwork& GetNetwork() const
    {
        return *m_network;
    }

    /// @return nodes of cells
    const NodeContainer& GetNodes() const
    {
        return m_cellNodes;
    }

    /// @return number of cells
    uint32_t CountCells() const
    {
        return m_cellNodes.GetN();
    }

    /// @return number of users
    uint32_t CountUsers() const
    {
        return m_userNodes.GetN();
    }

    /// @return PHY @param cell its number
    Ptr<LteEnbPhy> GetCellPhy(uint32_t cell) const
    {
        return m_network->GetCell(cell)->GetPhy();
    }

    /// @return its position @param cell number
    Vector GetCellPosition(uint32_t cell) const
    {
        return m_cellNodes.Get(cell)->GetObject<MobilityModel>()->GetPosition();
    }

    /// @return its position @param user number
    Vector GetUserPosition(uint32_t user) const
    {
        return m_userNodes.Get(user)->GetObject<MobilityModel>()->GetPosition();
    }

    /// @return payload so far @param user number
    uint64_t GetReceivedBytes(uint32_t user) const
    {
        return m_traffic->GetReceivedBytes(user);
    }

  private:
    /// Set the positions of cells
    void PlaceCells()
    {
        const auto cells = m_cellNodes.GetN();
        const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(cells)));
        const double spacing = m_parameters.spacing;
        const auto positions = CreateObject<ListPositionAllocator>();
        for (uint32_t cell = 0; cell < cells; cell++)
        {
            const auto row = cell / columns;
            const double shift = row % 2 == 1 ? 0.5 : 0;
            positions->Add(Vector((cell % columns + shift) * spacing,
                                  row * spacing * std::numbers::sqrt3 / 2,
                                  0));
        }
        MobilityHelper mobility;
        mobility.SetPositionAllocator(positions);
        mobility.Install(m_cellNodes);
    }

    /// Set the initial positions of users
    void PlaceUsers()
    {
        for (uint32_t user = 0; user < m_userNodes.GetN(); user++)
        {
            auto& walk = m_walks[user];
            const auto node = m_userNodes.Get(user);
            const auto home = GetCellPosition(user % CountCells());
            if (m_parameters.userDistance > 0)
            {
                walk.Place(node, home + Vector(m_parameters.userDistance, 0, 0));
            }
            else if (m_atHome)
            {
                // The distance of a corner between three cells.
                walk.Place(node,
                           {.centre = home,
                            .radius = m_parameters.spacing / std::numbers::sqrt3,
                            .inner = LteParameters::LEAST_DISTANCE},
                           PLACES + user);
            }
            else
            {
                walk.Place(node, GetWholeRegion(), PLACES + user);
            }
        }
    }

    /// Add shadowing to the channel
    void AddShadowing()
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

    /// Attach users to their cells
    void Connect()
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

    /**
     * @return the disc of all users that are not at home
     */
    UserRegion GetWholeRegion() const
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

    LteParameters m_parameters;           //!< The properties of the cells
    bool m_atHome;                        //!< Whether users stay around cells
    NodeContainer m_cellNodes;            //!< Nodes of cells
    NodeContainer m_userNodes;            //!< Nodes of users
    std::vector<UserWalk> m_walks;        //!< Walks of users
    std::optional<LteNetwork> m_network;  //!< Devices of cells and users
    std::optional<UserTraffic> m_traffic; //!< Traffic to users
    uint32_t m_detached;                  //!< Users that are not attached yet
};

} // namespace ns3

#endif // LTE_CELLS_H
