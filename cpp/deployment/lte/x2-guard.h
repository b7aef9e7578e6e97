// SPDX-License-Identifier: GPL-2.0-only

#ifndef X2_GUARD_H
#define X2_GUARD_H

#include "ns3/epc-x2-sap.h"
#include "ns3/lte-enb-rrc.h"

#include <cstdint>

namespace ns3
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
    X2Guard(Ptr<Node> node, Ptr<LteEnbRrc> rrc);

    void RecvHandoverRequest(HandoverRequestParams params) override;
    void RecvHandoverRequestAck(HandoverRequestAckParams params) override;
    void RecvHandoverPreparationFailure(HandoverPreparationFailureParams params) override;
    void RecvSnStatusTransfer(SnStatusTransferParams params) override;
    void RecvUeContextRelease(UeContextReleaseParams params) override;
    void RecvLoadInformation(LoadInformationParams params) override;
    void RecvResourceStatusUpdate(ResourceStatusUpdateParams params) override;
    void RecvUeData(UeDataParams params) override;
    void RecvHandoverCancel(HandoverCancelParams params) override;

  private:
    /**
     * @param tunnel Number of a tunnel of the core network.
     * @return whether a user of the cell has this tunnel
     */
    bool Knows(uint32_t tunnel) const;

    Ptr<LteEnbRrc> m_rrc;     //!< Radio resource control of the cell
    EpcX2SapUser* m_receiver; //!< X2 of the cell, which lives as long as the cell
};

} // namespace ns3

#endif // X2_GUARD_H
