// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRANSFER_SERVICE_H
#define TRANSFER_SERVICE_H

#include "ns3/channel-message.h"
#include "ns3/object.h"
#include "ns3/transfer.h"

#include <map>
#include <set>
#include <string>

namespace ns3
{

class RlApplication;

/**
 * @ingroup defiance
 *
 * @brief Sends through the channels of applications what Python orders to be sent, and tells how it
 * finished.
 *
 * A transfer has no content here: Python keeps it, and uses it when the transfer is delivered.
 * Agents and training servers take part, through the first channel between both. Over it a transfer
 * is a message like any other: it has the size ordered, and the kind.
 */
class TransferService : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Get the service of this simulation, which lives until Simulator::Destroy().
     * @return the service
     */
    static Ptr<TransferService> Get();

    /**
     * @brief Let an application take part, under its name.
     * @param application the application
     */
    void Add(Ptr<RlApplication> application);

    /**
     * @brief Start a transfer at the present instant, or refuse it.
     * @param order what is to be sent
     */
    void Start(const TransferOrder& order);

    /**
     * @brief Tell how a transfer finished. Later reports of it are ignored.
     * @param number its number
     * @param outcome how
     * @param reason why, unless it was delivered
     */
    void Finish(uint64_t number, TransferOutcome outcome, const std::string& reason = {});

    /**
     * @brief Tell that a channel has dropped a transfer.
     * @param number its number
     * @param reason why
     */
    void Fail(uint64_t number, ChannelDropReason reason);

  private:
    void DoDispose() override;

    /**
     * @brief Send a transfer through the first channel.
     * @param order what is to be sent
     */
    void Send(const TransferOrder& order);

    /**
     * @brief Tell why a transfer cannot be sent now.
     * @param order what is to be sent
     * @return the reason, or nothing if it can
     */
    std::string FindObstacle(const TransferOrder& order) const;

    std::map<std::string, Ptr<RlApplication>> m_applications; //!< By name
    std::set<uint64_t> m_underWay; //!< Numbers of transfers that have not finished
};

} // namespace ns3

#endif /* TRANSFER_SERVICE_H */
