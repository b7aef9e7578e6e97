// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEVICE_AGENT_APPLICATION_H
#define DEVICE_AGENT_APPLICATION_H

#include "ns3/agent-application.h"
#include "ns3/event-id.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
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
    void DoDispose() override
    {
        m_decision.Cancel();
        AgentApplication::DoDispose();
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        if (!m_devices.central)
        {
            AgentApplication::InitiateAction(action);
            return;
        }
        for (uint32_t device = 0; device < m_devices.count; device++)
        {
            if (TakesActions(device))
            {
                SendAction(MakeDictContainer("default", GetPart(action, device)),
                           m_devices.first + device);
            }
        }
    }

    /**
     * @param device Index of one of its devices, from 0.
     * @return whether the device receives its part of an action; by default true
     */
    virtual bool TakesActions(uint32_t device) const
    {
        return true;
    }

    /// React to the observations of an instant; by default request an action.
    virtual void Decide()
    {
        InferAction();
    }

    /// Call Decide() once, after the messages of this instant that are already under way.
    void DecideSoon()
    {
        if (!m_decision.IsPending())
        {
            m_decision = Simulator::ScheduleNow(&DeviceAgentApplication::Decide, this);
        }
    }

    /**
     * Read the numbers reported by a device.
     *
     * @param remoteAppId Number of the observation application.
     * @param key Key of the numbers, a Box of float32, in the newest message.
     * @param states Numbers of all devices, in order; the function writes to it.
     * @return the device, from 0
     */
    uint32_t ReadState(uint32_t remoteAppId, const std::string& key, std::vector<float>& states)
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        const auto& state = message->Get(key)->GetObject<OpenGymBoxContainer<float>>()->GetData();
        const auto device = remoteAppId - m_devices.first;
        states.resize(m_devices.count * state.size());
        std::copy(state.begin(), state.end(), states.begin() + device * state.size());
        return device;
    }

    /**
     * @param low Lower bounds of a device's numbers.
     * @param high Upper bounds of a device's numbers.
     * @param names Names of a device's numbers, such as "x"; with several devices, "x_0" is the
     * first device's. None: the numbers have no names.
     * @return the space of the numbers of all devices
     */
    Ptr<OpenGymSpace> RepeatBox(const std::vector<float>& low,
                                const std::vector<float>& high,
                                const std::vector<std::string>& names = {}) const
    {
        std::vector<float> allLow;
        std::vector<float> allHigh;
        std::vector<std::string> allNames;
        for (uint32_t device = 0; device < m_devices.count; device++)
        {
            allLow.insert(allLow.end(), low.begin(), low.end());
            allHigh.insert(allHigh.end(), high.begin(), high.end());
            for (const auto& name : names)
            {
                allNames.push_back(m_devices.count > 1 ? name + "_" + std::to_string(device)
                                                       : name);
            }
        }
        const auto space = MakeBoxSpace(allLow, allHigh);
        if (!names.empty())
        {
            space->SetElementNames(allNames);
        }
        return space;
    }

    /**
     * @param choices Number of actions of a device.
     * @return the space of actions: Discrete, or MultiDiscrete of a central agent
     */
    Ptr<OpenGymSpace> MakeChoices(int64_t choices) const
    {
        if (m_devices.central)
        {
            return CreateObject<OpenGymMultiDiscreteSpace>(
                std::vector<int64_t>(m_devices.count, choices));
        }
        return MakeDiscreteSpace(choices);
    }

    const AgentDevices m_devices; //!< Devices of the agent
    EventId m_decision;           //!< The decision of this instant

  private:
    /**
     * @param action Action of a central agent.
     * @param device Index of one of its devices, from 0.
     * @return the part of the action for the device
     */
    static Ptr<OpenGymDataContainer> GetPart(Ptr<OpenGymDataContainer> action, uint32_t device)
    {
        if (const auto choices = DynamicCast<OpenGymMultiDiscreteContainer>(action))
        {
            return MakeDiscreteContainer(choices->GetValue(device));
        }
        return MakeBoxContainer<float>(
            1,
            action->GetObject<OpenGymBoxContainer<float>>()->GetValue(device));
    }
};

} // namespace ns3

#endif // DEVICE_AGENT_APPLICATION_H
