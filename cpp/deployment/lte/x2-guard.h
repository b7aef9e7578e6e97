// SPDX-License-Identifier: GPL-2.0-only

#ifndef X2_GUARD_H
#define X2_GUARD_H

#include "ns3/epc-x2-sap.h"
#include "ns3/lte-enb-rrc.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Stands before a cell's receiver of X2 messages, and drops those about users that it knows
 * no more.
 *
 * When a handover fails, the target has forgotten the user while packets for it are still
 * forwarded, and the source may have when it is acknowledged. ns-3 takes both for errors of the
 * program.
 */
class X2Guard : public EpcX2SapUser
{
  public:
    /**
     * Take its place.
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
     * @return whether it is that of a user of the cell
     */
    bool Knows(uint32_t tunnel) const;

    Ptr<LteEnbRrc> m_rrc;     //!< Of the cell
    EpcX2SapUser* m_receiver; //!< X2 of the cell, which lives as long as the cell
};

} // namespace ns3

#endif // X2_GUARD_H
