// SPDX-License-Identifier: GPL-2.0-only

#ifndef CLIENT_HISTORY_H
#define CLIENT_HISTORY_H

#include "replica-protocol.h"

#include <cstdint>
#include <set>
#include <string>

namespace ns3
{

/**
 * @brief The requests and responses of clients: each request has its own client, which takes the
 * first answer of a replica that is not Byzantine.
 */
class ClientHistory
{
  public:
    /**
     * Note that a request was handed over.
     *
     * @param request Its number.
     * @param time When, in ns.
     */
    void Invoke(uint32_t request, int64_t time);

    /**
     * Note what replicas have answered.
     *
     * @param group All replicas after a tick.
     */
    void TakeAnswers(const ReplicaGroup& group);

    /**
     * @return what has happened since this was called last, as JSON: a list of events
     */
    std::string Take();

  private:
    /**
     * @param event A new event, as JSON.
     */
    void Add(const std::string& event);

    std::set<uint32_t> m_waiting; //!< Requests without an answer
    std::string m_events;         //!< New events, as JSON, with commas between them
};

} // namespace ns3

#endif // CLIENT_HISTORY_H
