// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_SESSION_H
#define COMMUNICATION_SESSION_H

#include "ns3/communication-helper.h"
#include "ns3/event-id.h"

#include <vector>

namespace ns3
{

/**
 * @brief The RL applications of a simulation, and their connections.
 */
class CommunicationSession
{
  public:
    /** @return the session of this simulation, which ends with it */
    static CommunicationSession& Get();

    /**
     * Register an application. If the simulation runs already, it is set up after the present
     * event.
     *
     * @param application A new application, which may never be connected.
     */
    void Note(Ptr<RlApplication> application);

    /**
     * Connect applications: pairwise, one with all, or all with one.
     *
     * @param clients Applications that open the connections.
     * @param servers Applications that accept the connections.
     * @param how The channels.
     */
    void Connect(const RlApplicationContainer& clients,
                 const RlApplicationContainer& servers,
                 const AnyCommunicationAttributes& how)
    {
        m_helper.Connect(clients, servers, how);
    }

    /** Number all applications, and set them up. */
    void Configure();

  private:
    CommunicationHelper m_helper;                   //!< Helper that connects them
    std::vector<Ptr<RlApplication>> m_applications; //!< Applications by creation
    bool m_hasBeenConfigured{false};                //!< Whether the scenario has been built
    EventId m_configureEvent;                       //!< Setup of new applications
};

} // namespace ns3

#endif /* COMMUNICATION_SESSION_H */
