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
 * Cells stand in rows, every other row shifted by half of their distance, so that neighbours of
 * neighbouring rows are as far from each other.
 */
class LteCells
{
  public:
    /**
     * Build them. Nothing is sent before the simulator runs.
     *
     * @param parameters The properties of the cells.
     * @param cells Number of cells.
     * @param users Number of users.
     * @param atHome Whether users stay around cells, user i around cell i modulo `cells`, which
     * serves it. If not they are anywhere, and that which they receive best serves them first.
     */
    LteCells(const LteParameters& parameters, uint32_t cells, uint32_t users, bool atHome);
    LteCells(const LteCells&) = delete;
    LteCells& operator=(const LteCells&) = delete;

    /**
     * Let simulated time pass until all users are connected, and on to a multiple of an interval.
     *
     * @param interval The interval.
     */
    void AwaitConnection(Time interval);

    /// Have users move, and packets be sent to them.
    void Start();

    const LteNetwork& GetNetwork() const;           //!< @return devices of cells and users
    const NodeContainer& GetNodes() const;          //!< @return nodes of cells
    uint32_t CountCells() const;                    //!< @return number of cells
    uint32_t CountUsers() const;                    //!< @return number of users
    Ptr<LteEnbPhy> GetCellPhy(uint32_t cell) const; //!< @return of a cell @param cell which
    Vector GetCellPosition(uint32_t cell) const;    //!< @return where it is @param cell which
    Vector GetUserPosition(uint32_t user) const;    //!< @return where it is @param user which
    uint64_t GetReceivedBytes(uint32_t user) const; //!< @return payload so far @param user which

  private:
    void PlaceCells();   //!< Put cells where they stay
    void PlaceUsers();   //!< Put users where they begin
    void AddShadowing(); //!< Have obstacles between them
    void Connect();      //!< Have users look for their cells

    /**
     * @return the disc in which all users are that are not at home
     */
    UserRegion GetWholeRegion() const;

    LteParameters m_parameters;           //!< The properties of the cells
    bool m_atHome;                        //!< Users stay around cells
    NodeContainer m_cellNodes;            //!< Of cells
    NodeContainer m_userNodes;            //!< Of users
    std::vector<Ptr<UserWalk>> m_walks;   //!< Of users
    std::optional<LteNetwork> m_network;  //!< Devices of cells and users
    std::optional<UserTraffic> m_traffic; //!< For users
    uint32_t m_detached;                  //!< Users that are not connected yet
};

} // namespace ns3

#endif // LTE_CELLS_H
