// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_NETWORK_H
#define LTE_NETWORK_H

#include "ns3/epc-x2-sap.h"
#include "ns3/lte-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/no-backhaul-epc-helper.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class LteEnbNetDevice;
class LteUeNetDevice;

/**
 * @brief Properties of cells and users on one carrier.
 */
struct LteNetworkParameters
{
    static constexpr double FREQUENCY = 2.12e9;      //!< Downlink carrier in Hz, EARFCN 100
    static constexpr double BLOCK_BANDWIDTH = 180e3; //!< Width of a resource block, Hz

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

    uint32_t resourceBlocks{25};  //!< Bandwidth of a cell: 6, 15, 25, 50, 75 or 100
    double pathLossExponent{3.5}; //!< 2: free space (Friis)
    double noiseFigure{9};        //!< Noise figure of users' receivers, in dB
    double power{30};             //!< Power of cells at the start, in dBm
    bool handover{false};         //!< Users may lose their cell or be handed over
    std::string algorithm{"ns3::NoOpHandoverAlgorithm"}; //!< ns-3's handover algorithm
    std::string scheduler{"ns3::PfFfMacScheduler"};      //!< Scheduler of resource blocks
};

/**
 * @brief LTE cells on one carrier, their users, and the core network.
 *
 * RRC messages are not lost and take no resources. Packets for users enter the core network at its
 * gateway.
 */
class LteNetwork
{
  public:
    /// Maximum number of users: each has its own subframe for the sounding signal, in any serving
    /// cell.
    static constexpr uint32_t MOST_USERS = 30;

    /**
     * Build the network. Users are not attached yet.
     *
     * @param parameters Properties of cells and users.
     * @param cells Nodes of cells, with positions.
     * @param users Nodes of users, with positions; nodes without an Internet stack receive one.
     */
    LteNetwork(const LteNetworkParameters& parameters,
               const NodeContainer& cells,
               const NodeContainer& users);
    LteNetwork(const LteNetwork&) = delete;
    LteNetwork& operator=(const LteNetwork&) = delete;

    /**
     * Weaken cells' signals at users, in addition to the loss over the distance.
     *
     * @param loss The additional loss.
     */
    void AddLoss(Ptr<PropagationLossModel> loss)
    {
        m_radio->GetDownlinkSpectrumChannel()->AddPropagationLossModel(loss);
    }

    /**
     * Connect a user to a cell. The user then has an address.
     *
     * @param user Number of the user.
     * @param cell Number of the cell.
     */
    void Attach(uint32_t user, uint32_t cell)
    {
        m_firstCells[user] = cell;
        m_radio->Attach(m_users.Get(user), m_cells.Get(cell));
    }

    /**
     * Add a bearer for part of a user's traffic, before the user connects.
     *
     * @param user Number of the user, which is attached.
     * @param bearer Quality of service of the bearer.
     * @param port Port of the user's application, whose packets the bearer carries.
     */
    void AddBearer(uint32_t user, const EpsBearer& bearer, uint16_t port);

    /**
     * @param user Number of a user.
     * @return the cell that the user receives best
     */
    uint32_t FindBestCell(uint32_t user) const;

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

    /// @return the node where packets for users enter
    Ptr<Node> GetGateway() const
    {
        return m_core->GetPgwNode();
    }

    /// @return its device @param cell number
    Ptr<LteEnbNetDevice> GetCell(uint32_t cell) const;

    /// @return its device @param user number
    Ptr<LteUeNetDevice> GetUser(uint32_t user) const;

    /// @return its first cell @param user number
    uint32_t GetFirstCell(uint32_t user) const
    {
        return m_firstCells[user];
    }

    /**
     * @param cellId LTE's id of the cell.
     * @return the number of the cell; none: the id of a user without a cell
     */
    std::optional<uint32_t> FindCell(uint16_t cellId) const;

  private:
    void BuildChannel();   //!< Set the loss between cells and users
    void InstallDevices(); //!< Install devices on cells and users
    void LinkCore();       //!< Connect cells with the core network
    void LinkCells();      //!< Allow handovers between cells
    void LinkUsers();      //!< Assign addresses and routes to users

    LteNetworkParameters m_parameters; //!< Properties of cells and users
    Ptr<NoBackhaulEpcHelper> m_core;   //!< Builds the core network
    Ptr<LteHelper> m_radio;            //!< Builds cells
    NodeContainer m_cellNodes;         //!< Nodes of the cells
    NodeContainer m_userNodes;         //!< Nodes of the users
    NetDeviceContainer m_cells;        //!< Devices of the cells
    NetDeviceContainer m_users;        //!< Devices of the users
    std::vector<std::unique_ptr<EpcX2SapUser>>
        m_guards;                       //!< X2 guards of cells, if handovers are on
    std::vector<uint32_t> m_firstCells; //!< First serving cell of each user
};

} // namespace ns3

#endif // LTE_NETWORK_H
