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
 * @brief The requests and responses of clients: each request has its own client, which accepts the
 * first answer of a replica that is not Byzantine.
 */
class ClientHistory
{
  public:
    /**
     * Record a client's request.
     *
     * @param request Number of the request.
     * @param time Time in ns.
     */
    void Invoke(uint32_t request, int64_t time);

    /**
     * Record the answers of replicas.
     *
     * @param group All replicas after a tick.
     */
    void TakeAnswers(const ReplicaGroup& group);

    /**
     * @return events since the last call, as JSON: a list of events
     */
    std::string Take();

  private:
    /**
     * @param event A new event, as JSON.
     */
    void Add(const std::string& event);

    std::set<uint32_t> m_waiting; //!< Requests without an answer
    std::string m_events;         //!< New events as JSON, separated by commas
};

} // namespace ns3

#endif // CLIENT_HISTORY_H
