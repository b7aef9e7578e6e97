// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_APPLICATION_H
#define TRAINING_SERVER_APPLICATION_H

#include "rl-application.h"

#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The place of training in the network: it receives experience and sends model updates.
 *
 * The training itself happens in Python, which orders the transfers (see TransferService). The
 * server has channels to agents and to other servers.
 */
class TrainingServerApplication : public RlApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TrainingServerApplication()
        : RlApplication(ApplicationType::TRAINING_SERVER)
    {
    }

    void Setup() override;

    /**
     * TracedCallback signature of Transfer.
     * @param [in] sender name of the sending application
     * @param [in] kind kind of the transfer
     * @param [in] bytes size of the transfer
     */
    typedef void (*TransferTracedCallback)(const std::string& sender,
                                           const std::string& kind,
                                           uint64_t bytes);

  protected:
    bool SupportsInterfacesTo(ApplicationType type) const override
    {
        return type == ApplicationType::AGENT || type == ApplicationType::TRAINING_SERVER;
    }

    std::string GetMessageKindTo(ApplicationType type) const override
    {
        return "message";
    }

    void OnReceiveTransfer(RlApplicationId remoteId,
                           const std::string& kind,
                           uint64_t bytes) override
    {
        m_transferTrace(remoteId.ToString(), kind, bytes);
    }

  private:
    /// Transfers that have arrived.
    TracedCallback<const std::string&, const std::string&, uint64_t> m_transferTrace;
};

} // namespace ns3

#endif /* TRAINING_SERVER_APPLICATION_H */
