// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_SESSION_H
#define COMMUNICATION_SESSION_H

#include "ns3/communication-helper.h"
#include "ns3/event-id.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief The RL applications of a simulation, and how they are connected.
 */
class CommunicationSession
{
  public:
    /** @return that of this simulation, which ends with it */
    static CommunicationSession& Get();

    /**
     * Note an application. One that is created while the simulation runs is set up after
     * the present event.
     *
     * @param application One that was created, and may never be connected.
     */
    void Note(Ptr<RlApplication> application);

    /**
     * Connect applications: pairwise, one with all, or all with one.
     *
     * @param clients Open the connections.
     * @param servers Accept them.
     * @param how How they communicate.
     */
    void Connect(const RlApplicationContainer& clients,
                 const RlApplicationContainer& servers,
                 const AnyCommunicationAttributes& how);

    /** Give all applications their numbers, and set them up. */
    void Configure();

  private:
    CommunicationHelper m_helper;                   //!< Connects them
    std::vector<Ptr<RlApplication>> m_applications; //!< In the order of creation
    bool m_hasBeenConfigured{false};                //!< Whether the scenario has been built
    EventId m_configureEvent;                       //!< Sets up what was created since
};

} // namespace ns3

#endif /* COMMUNICATION_SESSION_H */
