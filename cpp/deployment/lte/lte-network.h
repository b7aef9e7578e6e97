// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_NETWORK_H
#define LTE_NETWORK_H

#include "x2-guard.h"

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
    static constexpr double BLOCK_BANDWIDTH = 180e3; //!< Of a resource block in Hz

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    uint32_t resourceBlocks{25};  //!< Bandwidth of a cell: 6, 15, 25, 50, 75 or 100
    double pathLossExponent{3.5}; //!< 2: free space (Friis)
    double noiseFigure{9};        //!< Of users' receivers, in dB
    double power{30};             //!< Of cells at the start, in dBm
    bool handover{false};         //!< Users may lose their cell, or be handed over
    std::string algorithm{"ns3::NoOpHandoverAlgorithm"}; //!< Type of what hands over by itself
    std::string scheduler{"ns3::PfFfMacScheduler"};      //!< Type of what shares out blocks
};

/**
 * @brief LTE cells on one carrier, their users, and the core network behind the cells.
 *
 * RRC messages are not lost and take no resources. Packets for users enter the core network at its
 * gateway.
 */
class LteNetwork
{
  public:
    /// Most users: each has a subframe for its sounding signal, in whichever cell serves it.
    static constexpr uint32_t MOST_USERS = 30;

    /**
     * Build the network. Users are not attached yet.
     *
     * @param parameters Properties of cells and users.
     * @param cells Nodes of cells, with positions.
     * @param users Nodes of users, with positions; those without an Internet stack get one.
     */
    LteNetwork(const LteNetworkParameters& parameters,
               const NodeContainer& cells,
               const NodeContainer& users);
    LteNetwork(const LteNetwork&) = delete;
    LteNetwork& operator=(const LteNetwork&) = delete;

    /**
     * Weaken what users receive, after the loss over the distance.
     *
     * @param loss The further loss.
     */
    void AddLoss(Ptr<PropagationLossModel> loss);

    /**
     * Have a user connect to a cell. It then has an address.
     *
     * @param user Number of the user.
     * @param cell Number of the cell.
     */
    void Attach(uint32_t user, uint32_t cell);

    /**
     * Add a bearer for part of a user's traffic, before the user connects.
     *
     * @param user Number of the user, which is attached.
     * @param bearer Its quality of service.
     * @param port Port of the user's application, whose packets the bearer carries.
     */
    void AddBearer(uint32_t user, const EpsBearer& bearer, uint16_t port);

    /**
     * @param user Number of a user.
     * @return the cell that it receives best
     */
    uint32_t FindBestCell(uint32_t user) const;

    uint32_t CountCells() const;  //!< @return number of cells
    uint32_t CountUsers() const;  //!< @return number of users
    Ptr<Node> GetGateway() const; //!< @return the node where packets for users enter
    Ptr<LteEnbNetDevice> GetCell(
        uint32_t cell) const; //!< @return device of a cell @param cell which
    Ptr<LteUeNetDevice> GetUser(
        uint32_t user) const;                   //!< @return device of a user @param user which
    uint32_t GetFirstCell(uint32_t user) const; //!< @return who serves first @param user which

    /**
     * @param cellId As LTE has it.
     * @return the number of the cell; none: it is no cell's, as that of a user without a cell
     */
    std::optional<uint32_t> FindCell(uint16_t cellId) const;

  private:
    void BuildChannel();   //!< Say what lies between cells and users
    void InstallDevices(); //!< Give cells and users their devices
    void LinkCore();       //!< Connect cells with the core network
    void LinkCells();      //!< Let cells hand over users
    void LinkUsers();      //!< Give users addresses and routes

    LteNetworkParameters m_parameters;              //!< Properties of cells and users
    Ptr<NoBackhaulEpcHelper> m_core;                //!< Builds the core network
    Ptr<LteHelper> m_radio;                         //!< Builds cells
    NodeContainer m_cellNodes;                      //!< Of cells
    NodeContainer m_userNodes;                      //!< Of users
    NetDeviceContainer m_cells;                     //!< Of cells
    NetDeviceContainer m_users;                     //!< Of users
    std::vector<std::unique_ptr<X2Guard>> m_guards; //!< Of cells, where there are handovers
    std::vector<uint32_t> m_firstCells;             //!< That serve users first
};

} // namespace ns3

#endif // LTE_NETWORK_H
