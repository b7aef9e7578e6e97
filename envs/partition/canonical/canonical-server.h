// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_SERVER_H
#define CANONICAL_SERVER_H

#include "replica-state.h"
#include "stable-storage.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

// canonical/raft is a C library; its header needs the headers above.
extern "C"
{
#include <raft.h>
}

namespace ns3
{

/**
 * @brief The stored state of canonical/raft: term, vote and log.
 */
class CanonicalStorage : public StableStorage
{
  public:
    /// An entry of the log.
    struct Entry
    {
        uint64_t term;     //!< Term of the proposal
        uint16_t type;     //!< The library's number for commands, barriers or configurations
        std::string bytes; //!< Encoded fields
    };

    /**
     * @return the log; a command is the request with its number, other entries have none
     */
    std::vector<ReplicaEntry> GetLog() const;

    void Erase() override;

    using StableStorage::BeforeWrite; // the library's disk calls it

    uint64_t term{0};           //!< Latest known term
    uint64_t vote{0};           //!< Number of the candidate voted for in this term; 0: none
    std::vector<Entry> entries; //!< Log, from index 1 on
};

/**
 * @brief The parameters of a server of canonical/raft.
 */
struct CanonicalParameters
{
    uint32_t id{1};                          //!< Number of the replica, from 1
    uint32_t replicas{3};                    //!< Number of replicas
    Time electionTimeout{MilliSeconds(160)}; //!< Shortest timeout; at most twice as long
    Time heartbeatTimeout{MilliSeconds(40)}; //!< Time between two heartbeats of a leader
    bool preVote{false};                     //!< Candidates request votes before they begin a term
    uint64_t seed{0};                        //!< Seed of election timeouts

    bool operator==(const CanonicalParameters&) const = default;
};

/**
 * @brief A server of canonical/raft: the library's own code, with a given disk and network.
 *
 * Writes are durable at once. The library is informed of a finished write or message after its own
 * call, before control returns to the caller of this class. An error of the library becomes an
 * exception.
 */
class CanonicalServer
{
  public:
    /// Sends numbers to a replica.
    using Sender = std::function<void(uint32_t to, std::vector<uint32_t> numbers)>;

    /**
     * Start the server from its disk. An empty disk gets the configuration of the group.
     *
     * @param parameters Parameters of the server.
     * @param storage Disk of the server.
     * @param send Sends the server's messages.
     */
    CanonicalServer(const CanonicalParameters& parameters,
                    Ptr<CanonicalStorage> storage,
                    Sender send);
    ~CanonicalServer(); //!< Stop the server; stored data remains
    CanonicalServer(const CanonicalServer&) = delete;
    CanonicalServer& operator=(const CanonicalServer&) = delete;

    /// Let the server read the time
    void Tick()
    {
        m_tick(&m_io);
        Settle();
    }

    /**
     * @param from Number of the sending replica.
     * @param numbers The message; a malformed one is dropped.
     */
    void Receive(uint32_t from, const std::vector<uint32_t>& numbers);

    /**
     * @param request Number of a client's request.
     * @return whether the server leads, and has appended the request to its log
     */
    bool Submit(uint32_t request);

    /// @return the library's state
    const raft& Get() const
    {
        return m_raft;
    }

    uint32_t GetLeader() const; //!< @return number of the known leader; 0: none

    /// @return whether the server leads
    bool Leads() const
    {
        return m_raft.state == RAFT_LEADER;
    }

    /**
     * @return state that determines its next actions, and is neither stored nor reported elsewhere
     */
    std::vector<int64_t> GetInternals() const;

  private:
    /// The C functions that the library calls.
    struct Calls;

    /// Finish the library's orders, and throw if it has failed.
    void Settle();

    /**
     * @param status The result of a function of the library.
     * @param what The purpose of the call.
     */
    void Require(int status, const char* what) const;

    /// Store the configuration of the group
    void Bootstrap();

    CanonicalParameters m_parameters;             //!< Parameters of the server
    Ptr<CanonicalStorage> m_storage;              //!< Disk of the server
    Sender m_send;                                //!< Sends messages
    std::deque<std::function<void()>> m_finished; //!< The events for the library
    bool m_isKilled{false};                       //!< Whether calls have no effects any more
    uint64_t m_draws{0};                          //!< Number of random draws
    raft_io m_io{};                               //!< The library's disk and network
    raft_fsm m_machine{};                         //!< The service, for the library
    raft_io_tick_cb m_tick{nullptr};              //!< Tick callback of the library
    raft_io_recv_cb m_receive{nullptr};           //!< Receive callback of the library
    raft m_raft{};                                //!< The library's state
};

} // namespace ns3

#endif // CANONICAL_SERVER_H
