// SPDX-License-Identifier: GPL-2.0-only

#ifndef DATA_COLLECTOR_APPLICATION_H
#define DATA_COLLECTOR_APPLICATION_H

#include "ns3/rl-application.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Collects data on its node and sends the data to agents.
 *
 * A subclass has methods with the signatures of its node's trace sources, connects them in
 * RegisterCallbacks(), and calls Send() in them.
 */
class DataCollectorApplication : public RlApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Create a data collector.
     * @param type OBSERVATION or REWARD
     */
    explicit DataCollectorApplication(ApplicationType type = OBSERVATION)
        : RlApplication(type)
    {
    }

    void Setup() override;

    /// Connect to the sources of data. Setup() calls this once.
    virtual void RegisterCallbacks() = 0;

    /// Undo RegisterCallbacks(). MoveTo() calls this on the old node, then RegisterCallbacks() on
    /// the new one. By default a data collector cannot move.
    virtual void UnregisterCallbacks();

  protected:
    void OnMoving() override;
    void OnMoved() override;

    /**
     * @brief Send data to agents.
     * @param data the data
     * @param remoteAppId number of one agent; none: all connected agents
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void Send(Ptr<OpenGymDictContainer> data,
              std::optional<uint32_t> remoteAppId = {},
              std::optional<uint32_t> interfaceId = {})
    {
        SendTo(data, ApplicationType::AGENT, remoteAppId, interfaceId);
    }

    bool SupportsInterfacesTo(ApplicationType type) const override
    {
        return type == ApplicationType::AGENT;
    }

    const InterfaceMap& m_interfaces{GetInterfaces(AGENT)}; //!< DEFIANCE's name of the interfaces
};

} // namespace ns3

#endif /* DATA_COLLECTOR_APPLICATION_H */
