// SPDX-License-Identifier: GPL-2.0-only

#ifndef PERIODIC_AGENT_APP_H
#define PERIODIC_AGENT_APP_H

#include "ns3/agent-application.h"
#include "ns3/event-id.h"

#include <functional>

namespace ns3
{

/**
 * @brief Decides when it starts and then at an interval, by what it has heard until then, or
 * whenever it is told to; each time after all else of that instant.
 */
class PeriodicAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Say what infos tell.
     *
     * @param report Called for each decision.
     */
    void SetReport(std::function<OpenGymInfo()> report);

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @return what it has heard until now
     */
    virtual Ptr<OpenGymDataContainer> Summarise() = 0;

    void DecideSoon(); //!< Decide once after all else of this instant

  private:
    void Tick();   //!< Decide now, and again after the interval
    void Decide(); //!< Decide by what it has heard

    Time m_interval;                       //!< Between two decisions; zero: when told to
    std::function<OpenGymInfo()> m_report; //!< What infos tell
    EventId m_tick;                        //!< The next decision
    EventId m_decision;                    //!< The decision of this instant
};

} // namespace ns3

#endif // PERIODIC_AGENT_APP_H
