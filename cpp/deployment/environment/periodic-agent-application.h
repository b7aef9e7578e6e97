// SPDX-License-Identifier: GPL-2.0-only

#ifndef PERIODIC_AGENT_APPLICATION_H
#define PERIODIC_AGENT_APPLICATION_H

#include "device-agent-application.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief An agent that decides when it starts and then at an interval, or when a subclass asks for
 * it. It decides after all other events of the instant, by the messages received until then.
 */
class PeriodicAgentApplication : public DeviceAgentApplication
{
  public:
    /**
     * @param devices The devices that it decides for.
     * @param interval Time between two decisions; zero: only a subclass asks for more than the
     *        first.
     */
    PeriodicAgentApplication(const AgentDevices& devices, Time interval);

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;
    void Decide() override;

    /**
     * Summarise what it has received. Called once for each decision.
     *
     * @return the observation
     */
    virtual Ptr<OpenGymDataContainer> Summarise() = 0;

    /// Decide once in this instant, after all other events.
    void DecideLast();

  private:
    void Tick(); //!< Decide now, and again after the interval

    Time m_interval; //!< Time between two decisions; zero: there is none
    EventId m_tick;  //!< The next decision
};

} // namespace ns3

#endif // PERIODIC_AGENT_APPLICATION_H
