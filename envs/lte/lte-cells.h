// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_CELLS_H
#define LTE_CELLS_H

#include "lte-network.h"
#include "lte-parameters.h"
#include "user-traffic.h"
#include "user-walk.h"

#include "ns3/node-container.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

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
    LteCells(const LteParameters& parameters, uint32_t cells, uint32_t users, bool atHome);
    LteCells(const LteCells&) = delete;
    LteCells& operator=(const LteCells&) = delete;

    /**
     * Wait until all users are connected, and continue at a multiple of an interval.
     *
     * @param interval The interval.
     */
    void AwaitConnection(Time interval);

    /// Start the users' movement, and the packets to them.
    void Start();

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
    Ptr<LteEnbPhy> GetCellPhy(uint32_t cell) const;

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
    void PlaceCells();   //!< Set the positions of cells
    void PlaceUsers();   //!< Set the initial positions of users
    void AddShadowing(); //!< Add shadowing to the channel
    void Connect();      //!< Attach users to their cells

    /**
     * @return the disc of all users that are not at home
     */
    UserRegion GetWholeRegion() const;

    LteParameters m_parameters;           //!< The properties of the cells
    bool m_atHome;                        //!< Whether users stay around cells
    NodeContainer m_cellNodes;            //!< Nodes of cells
    NodeContainer m_userNodes;            //!< Nodes of users
    std::vector<Ptr<UserWalk>> m_walks;   //!< Walks of users
    std::optional<LteNetwork> m_network;  //!< Devices of cells and users
    std::optional<UserTraffic> m_traffic; //!< Traffic to users
    uint32_t m_detached;                  //!< Users that are not attached yet
};

} // namespace ns3

#endif // LTE_CELLS_H
