// SPDX-License-Identifier: GPL-2.0-only

#ifndef PERIODIC_AGENT_APPLICATION_H
#define PERIODIC_AGENT_APPLICATION_H

#include "device-agent-application.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief An agent that decides at its start and then at an interval, or when a subclass requests
 * it. It decides after all other events of the instant, using the messages received until then.
 */
class PeriodicAgentApplication : public DeviceAgentApplication
{
  public:
    /**
     * @param devices The devices of the agent.
     * @param interval Time between two decisions; zero: only a subclass requests decisions after
     * the first one.
     */
    PeriodicAgentApplication(const AgentDevices& devices, Time interval)
        : DeviceAgentApplication(devices),
          m_interval(interval)
    {
    }

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;
    void Decide() override;

    /**
     * Summarise the received messages. Called once for each decision.
     *
     * @return the observation
     */
    virtual Ptr<OpenGymDataContainer> Summarise() = 0;

    /// Decide once in this instant, after all other events.
    void DecideLast();

  private:
    void Tick(); //!< Decide now, and again after the interval

    Time m_interval; //!< Time between two decisions; zero: no interval
    EventId m_tick;  //!< The next decision
};

} // namespace ns3

#endif // PERIODIC_AGENT_APPLICATION_H
