// SPDX-License-Identifier: GPL-2.0-only

#ifndef PERIODIC_AGENT_APPLICATION_H
#define PERIODIC_AGENT_APPLICATION_H

#include "device-agent-application.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

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
    void DoDispose() override
    {
        m_tick.Cancel();
        DeviceAgentApplication::DoDispose();
    }

    void StartApplication() override
    {
        AgentApplication::StartApplication();
        Tick();
    }

    void StopApplication() override
    {
        m_tick.Cancel();
        m_decision.Cancel();
        AgentApplication::StopApplication();
    }

    void Decide() override
    {
        m_observation = Summarise();
        InferAction();
    }

    /**
     * Summarise the received messages. Called once for each decision.
     *
     * @return the observation
     */
    virtual Ptr<OpenGymDataContainer> Summarise() = 0;

    /// Decide once in this instant, after all other events.
    void DecideLast()
    {
        if (m_decision.IsPending())
        {
            return;
        }
        // This instant's messages are scheduled already, or will be by events that are.
        m_decision = Simulator::ScheduleNow([self = Ptr<PeriodicAgentApplication>(this)] {
            self->m_decision = Simulator::ScheduleNow(&PeriodicAgentApplication::Decide, self);
        });
    }

  private:
    /// Decide now, and again after the interval
    void Tick()
    {
        if (!m_interval.IsZero())
        {
            m_tick = Simulator::Schedule(m_interval, &PeriodicAgentApplication::Tick, this);
        }
        DecideLast();
    }

    Time m_interval; //!< Time between two decisions; zero: no interval
    EventId m_tick;  //!< The next decision
};

} // namespace ns3

#endif // PERIODIC_AGENT_APPLICATION_H
