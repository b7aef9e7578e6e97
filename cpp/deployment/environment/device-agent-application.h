// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEVICE_AGENT_APPLICATION_H
#define DEVICE_AGENT_APPLICATION_H

#include "ns3/agent-application.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The devices of an agent.
 */
struct AgentDevices
{
    uint32_t first{0};   //!< Number of the first device
    uint32_t count{1};   //!< Number of consecutive devices
    bool central{false}; //!< Whether an action has a part for each device
};

/**
 * @brief An agent that decides for one device or for several devices together.
 *
 * Its spaces repeat the spaces of a device. The action of a central agent is MultiDiscrete, or a
 * Box with one number per device. Each device receives its part of the action, in the same form as
 * from its own agent.
 */
class DeviceAgentApplication : public AgentApplication
{
  public:
    /**
     * @param devices The devices of the agent.
     */
    explicit DeviceAgentApplication(const AgentDevices& devices)
        : m_devices(devices)
    {
    }

  protected:
    void DoDispose() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;

    /**
     * @param device Index of one of its devices, from 0.
     * @return whether the device receives its part of an action; by default true
     */
    virtual bool TakesActions(uint32_t device) const
    {
        return true;
    }

    /// React to the observations of an instant; by default request an action.
    virtual void Decide();

    /// Call Decide() once, after the messages of this instant that are already under way.
    void DecideSoon();

    /**
     * Read the numbers reported by a device.
     *
     * @param remoteAppId Number of the observation application.
     * @param key Key of the numbers, a Box of float32, in the newest message.
     * @param states Numbers of all devices, in order; the function writes to it.
     * @return the device, from 0
     */
    uint32_t ReadState(uint32_t remoteAppId, const std::string& key, std::vector<float>& states);

    /**
     * @param low Lower bounds of a device's numbers.
     * @param high Upper bounds of a device's numbers.
     * @param names Names of a device's numbers, such as "x"; with several devices, "x_0" is the
     * first device's. None: the numbers have no names.
     * @return the space of the numbers of all devices
     */
    Ptr<OpenGymSpace> RepeatBox(const std::vector<float>& low,
                                const std::vector<float>& high,
                                const std::vector<std::string>& names = {}) const;

    /**
     * @param choices Number of actions of a device.
     * @return the space of actions: Discrete, or MultiDiscrete of a central agent
     */
    Ptr<OpenGymSpace> MakeChoices(int64_t choices) const;

    const AgentDevices m_devices; //!< Devices of the agent
    EventId m_decision;           //!< The decision of this instant
};

} // namespace ns3

#endif // DEVICE_AGENT_APPLICATION_H
