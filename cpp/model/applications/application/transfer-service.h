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
 * @brief Sends transfers ordered by Python through the channels of applications, and reports their
 * outcome.
 *
 * A transfer has no content here: Python keeps the content, and uses it when the transfer is
 * delivered. Agents and training servers exchange transfers through the first channel between them.
 * A transfer is a message like any other on its channel: it has the ordered size and kind.
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
     * @brief Register an application under its name.
     * @param application the application
     */
    void Add(Ptr<RlApplication> application);

    /**
     * @brief Start a transfer at the present instant, or refuse it.
     * @param order the transfer
     */
    void Start(const TransferOrder& order);

    /**
     * @brief Report the outcome of a transfer. Later reports of the same transfer are ignored.
     * @param number number of the transfer
     * @param outcome the outcome
     * @param reason the reason, unless it was delivered
     */
    void Finish(uint64_t number, TransferOutcome outcome, const std::string& reason = {});

    /**
     * @brief Report that a channel has dropped a transfer.
     * @param number number of the transfer
     * @param reason reason of the drop
     */
    void Fail(uint64_t number, ChannelDropReason reason);

  private:
    void DoDispose() override
    {
        m_applications.clear();
        Object::DoDispose();
    }

    /**
     * @brief Send a transfer through the first channel.
     * @param order the transfer
     */
    void Send(const TransferOrder& order);

    /**
     * @brief Find the reason why a transfer cannot be sent now.
     * @param order the transfer
     * @return the reason, or nothing if it can be sent
     */
    std::string FindObstacle(const TransferOrder& order) const;

    std::map<std::string, Ptr<RlApplication>> m_applications; //!< Applications by name
    std::set<uint64_t> m_underWay;                            //!< Numbers of unfinished transfers
};

} // namespace ns3

#endif /* TRANSFER_SERVICE_H */
