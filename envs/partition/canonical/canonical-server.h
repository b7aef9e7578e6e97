// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_SERVER_H
#define CANONICAL_SERVER_H

#include "canonical-storage.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

// canonical/raft, a library in C; its header needs those above.
extern "C"
{
#include <raft.h>
}

namespace ns3
{

/**
 * @brief How a server of canonical/raft is set up.
 */
struct CanonicalParameters
{
    uint32_t id{1};                          //!< Its number, from 1 on
    uint32_t replicas{3};                    //!< How many there are
    Time electionTimeout{MilliSeconds(160)}; //!< Drawn from so long to twice as long
    Time heartbeatTimeout{MilliSeconds(40)}; //!< Time between two heartbeats of a leader
    bool preVote{false}; //!< Candidates ask whether they would win before they begin a term
    uint64_t seed{0};    //!< Of election timeouts

    bool operator==(const CanonicalParameters&) const = default;
};

/**
 * @brief A server of canonical/raft: the library's own code, over a disk and a network that are
 * given to it.
 *
 * Writes are durable at once. The library learns that a write or a message is done after the call
 * in which it ordered them, before control returns to the caller of this class. An error of the
 * library is an exception.
 */
class CanonicalServer
{
  public:
    /// Sends numbers to a replica.
    using Sender = std::function<void(uint32_t to, std::vector<uint32_t> numbers)>;

    /**
     * Start the server from what is stored. An empty disk gets the configuration of the group.
     *
     * @param parameters How it is set up.
     * @param storage Its disk.
     * @param send Sends its messages.
     */
    CanonicalServer(const CanonicalParameters& parameters,
                    Ptr<CanonicalStorage> storage,
                    Sender send);
    ~CanonicalServer(); //!< Stop the server; what is stored remains
    CanonicalServer(const CanonicalServer&) = delete;
    CanonicalServer& operator=(const CanonicalServer&) = delete;

    void Tick(); //!< Let it look at the time

    /**
     * @param from Number of the replica that sent the message.
     * @param numbers The message; one that is malformed is dropped.
     */
    void Receive(uint32_t from, const std::vector<uint32_t>& numbers);

    /**
     * @param request Number of a client's request.
     * @return whether the server leads, and has appended it to its log
     */
    bool Submit(uint32_t request);

    const raft& Get() const;    //!< @return the library's state
    uint32_t GetLeader() const; //!< @return number of the leader that it knows; 0: none
    bool Leads() const;         //!< @return whether it leads

    /**
     * @return state that determines its next actions, and is neither stored nor reported otherwise
     */
    std::vector<int64_t> GetInternals() const;

  private:
    /// The functions of C that the library calls.
    struct Calls;

    /// Finish what the library has ordered, and throw if it has failed.
    void Settle();

    /**
     * @param status The result of a function of the library.
     * @param what The purpose of the call.
     */
    void Require(int status, const char* what) const;

    void Bootstrap(); //!< Store the configuration of the group

    CanonicalParameters m_parameters;             //!< How it is set up
    Ptr<CanonicalStorage> m_storage;              //!< Its disk
    Sender m_send;                                //!< Sends its messages
    std::deque<std::function<void()>> m_finished; //!< The events for the library
    uint64_t m_draws{0};                          //!< Random numbers so far
    raft_io m_io{};                               //!< Disk and network, for the library
    raft_fsm m_machine{};                         //!< The service, for the library
    raft_io_tick_cb m_tick{nullptr};              //!< Of the library: look at the time
    raft_io_recv_cb m_receive{nullptr};           //!< Of the library: take a message
    raft m_raft{};                                //!< The library's state
};

} // namespace ns3

#endif // CANONICAL_SERVER_H
